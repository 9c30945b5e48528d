import * as THREE from 'three';
import { draw, make } from './dom';
import type { Axis } from './viewer';

const COLOURS: Record<Axis, string> = { x: '#d6336c', y: '#2b8a3e', z: '#1971c2' };

/** The directions of the axes, over the view. */
export class Triad {
  private readonly lines = new Map<Axis, [SVGElement, SVGElement]>();

  constructor(parent: HTMLElement) {
    const picture = draw('svg', { viewBox: '-34 -34 68 68', 'aria-hidden': 'true' });
    for (const axis of ['x', 'y', 'z'] as Axis[]) {
      const line = draw('line', { x1: '0', y1: '0', stroke: COLOURS[axis], 'stroke-width': '2.5', 'stroke-linecap': 'round' });
      const name = draw('text', { fill: COLOURS[axis], 'text-anchor': 'middle', 'dominant-baseline': 'central', 'font-size': '12', 'font-weight': '600' });
      name.textContent = axis;
      picture.append(line, name);
      this.lines.set(axis, [line, name]);
    }
    const root = make('div', { className: 'triad' });
    root.append(picture);
    parent.append(root);
  }

  /** Turns the axes as the camera sees them; axes that point away are drawn first. */
  turn(camera: THREE.Camera): void {
    const inverse = camera.quaternion.clone().invert();
    const ends = [...this.lines].map(([axis, parts]) => {
      const end = new THREE.Vector3(axis === 'x' ? 1 : 0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0).applyQuaternion(inverse);
      return { parts, end };
    });
    ends.sort((one, other) => one.end.z - other.end.z);
    for (const { parts: [line, name], end } of ends) {
      line.setAttribute('x2', (22 * end.x).toFixed(1));
      line.setAttribute('y2', (-22 * end.y).toFixed(1));
      name.setAttribute('x', (29 * end.x).toFixed(1));
      name.setAttribute('y', (-29 * end.y).toFixed(1));
      line.parentElement!.append(line, name);
    }
  }
}
