import * as THREE from 'three';
import { draw, make } from './dom';
import type { Axis, Vec3 } from './viewer';

const COLOURS: Record<Axis, string> = { x: '#d6336c', y: '#2b8a3e', z: '#1971c2' };
/** Half of an edge of the drawn cube. */
const HALF = 19;
/** Standard views of a scene with z up: the direction to the camera. Those of a scene with y up are turned. */
export const VIEWS: Record<string, Vec3> = {
  Isometric: [0.58, -0.58, 0.58], Front: [0, -1, 0.01], Back: [0, 1, 0.01], Left: [-1, 0, 0.01], Right: [1, 0, 0.01], Top: [0, -0.01, 1], Bottom: [0, -0.01, -1],
};

/** The direction of a standard view. */
export function viewOf([x, y, z]: Vec3, up: Axis): Vec3 {
  return up === 'y' ? [x, z, -y] : [x, y, z];
}

interface Face {
  name: string;
  /** Outward, and the axes of its text. */
  normal: THREE.Vector3;
  across: THREE.Vector3;
  along: THREE.Vector3;
  area: SVGElement;
  text: SVGElement;
}

/** A cube over the view that turns with the camera: its faces and vertices are standard views. The axes start at its lowest vertex. */
export class ViewCube {
  readonly root: HTMLElement;
  private readonly picture: SVGElement;
  private readonly faces: Face[] = [];
  private readonly vertices: { at: THREE.Vector3; dot: SVGElement }[] = [];
  private readonly axes = new Map<Axis, [SVGElement, SVGElement]>();

  constructor(parent: HTMLElement, private readonly look: (direction: Vec3) => void) {
    this.picture = draw('svg', { viewBox: '-50 -50 100 100', role: 'group', 'aria-label': 'View cube' });
    for (const axis of ['x', 'y', 'z'] as Axis[]) {
      const line = draw('line', { stroke: COLOURS[axis], 'stroke-width': '2.5', 'stroke-linecap': 'round' });
      const name = draw('text', { fill: COLOURS[axis], 'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-size': '12', 'font-weight': '600', 'aria-hidden': 'true' });
      name.textContent = axis;
      this.axes.set(axis, [line, name]);
    }
    this.root = make('div', { className: 'cube' });
    this.root.append(this.picture);
    parent.append(this.root);
    this.setUp('z');
  }

  /** Sets the up axis, on which the names of the faces depend. */
  setUp(up: Axis): void {
    this.picture.replaceChildren();
    this.faces.length = this.vertices.length = 0;
    for (const [name, view] of Object.entries(VIEWS)) {
      if (name === 'Isometric') continue;
      const turned = (at: Vec3) => new THREE.Vector3(...viewOf(at, up).map((x) => Math.round(x)) as Vec3);
      const normal = turned(view.map((x) => Math.round(x)) as Vec3);
      const along = turned(name === 'Top' ? [0, 1, 0] : name === 'Bottom' ? [0, -1, 0] : [0, 0, 1]);
      const across = along.clone().cross(normal);
      const text = draw('text', { class: 'cube-name', 'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-size': '10', 'aria-hidden': 'true' });
      text.textContent = name;
      const area = this.button('polygon', { class: 'cube-face', 'data-view': name, 'aria-label': `View from: ${name.toLowerCase()}` }, viewOf(view, up));
      this.faces.push({ name, normal, across, along, area, text });
    }
    for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
      const at = new THREE.Vector3(x, y, z);
      const direction = at.clone().normalize().toArray() as Vec3;
      const dot = this.button('circle', { class: 'cube-vertex', r: '4', 'aria-label': `Isometric view from ${x < 0 ? '−' : '+'}x ${y < 0 ? '−' : '+'}y ${z < 0 ? '−' : '+'}z` }, direction);
      this.vertices.push({ at, dot });
    }
  }

  private button(kind: string, attributes: Record<string, string>, direction: Vec3): SVGElement {
    const made = draw(kind, { role: 'button', tabindex: '0', ...attributes });
    made.append(titled(attributes['aria-label']!));
    made.addEventListener('click', () => this.look(direction));
    made.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      event.stopPropagation();
      this.look(direction);
    });
    return made;
  }

  /** Turns the cube as the camera sees it; parts that point away are hidden behind it. */
  turn(camera: THREE.Camera): void {
    const inverse = camera.quaternion.clone().invert();
    const seen = (point: THREE.Vector3) => point.clone().applyQuaternion(inverse).multiplyScalar(HALF);
    const focused = document.activeElement;
    const behind: SVGElement[] = [];
    const before: SVGElement[] = [];
    const start = seen(new THREE.Vector3(-1, -1, -1));
    for (const [axis, [line, name]] of this.axes) {
      const end = seen(new THREE.Vector3(axis === 'x' ? 1.7 : -1, axis === 'y' ? 1.7 : -1, axis === 'z' ? 1.7 : -1));
      const label = seen(new THREE.Vector3(axis === 'x' ? 2.15 : -1, axis === 'y' ? 2.15 : -1, axis === 'z' ? 2.15 : -1));
      for (const [key, value] of Object.entries({ x1: start.x, y1: -start.y, x2: end.x, y2: -end.y })) line.setAttribute(key, value.toFixed(1));
      name.setAttribute('x', label.x.toFixed(1));
      name.setAttribute('y', (-label.y).toFixed(1));
      (start.z + end.z > 0 ? before : behind).push(line, name);
    }
    const shown: SVGElement[] = [];
    for (const { normal, across, along, area, text } of this.faces) {
      if (normal.clone().applyQuaternion(inverse).z < 0.06) continue;
      const [middle, u, v] = [normal, across, along].map(seen) as [THREE.Vector3, THREE.Vector3, THREE.Vector3];
      const ends = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([p, q]) => `${(middle.x + p! * u.x + q! * v.x).toFixed(1)},${(-(middle.y + p! * u.y + q! * v.y)).toFixed(1)}`);
      area.setAttribute('points', ends.join(' '));
      const matrix = [u.x / HALF, -u.y / HALF, -v.x / HALF, v.y / HALF, middle.x, -middle.y].map((x) => x.toFixed(3));
      text.setAttribute('transform', `matrix(${matrix.join(' ')})`);
      shown.push(area, text);
    }
    for (const { at, dot } of this.vertices) {
      const place = seen(at);
      if (place.z < -0.2 * HALF) continue;
      dot.setAttribute('cx', place.x.toFixed(1));
      dot.setAttribute('cy', (-place.y).toFixed(1));
      shown.push(dot);
    }
    this.picture.replaceChildren(...behind, ...shown, ...before);
    // A face that was turned away has lost the focus.
    if (focused && focused !== document.activeElement && this.picture.contains(focused)) (focused as SVGElement).focus({ preventScroll: true });
  }
}

function titled(text: string): SVGElement {
  const made = draw('title', {});
  made.textContent = text;
  return made;
}
