import * as THREE from 'three';
import { make } from './dom';
import type { Frame, Vec3 } from './viewer';

/** A frame with a name, such as a location of a robot program. */
export interface NamedFrame extends Frame {
  name: string;
}

const AXES: [string, Vec3][] = [['#d6336c', [1, 0, 0]], ['#2b8a3e', [0, 1, 0]], ['#1971c2', [0, 0, 1]]];

/** Frames as three axes with their names next to them. */
export class Frames {
  readonly lines: THREE.LineSegments;
  private frames: NamedFrame[] = [];
  private labels: HTMLElement[] = [];

  constructor(private readonly parent: HTMLElement) {
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 4;
    this.lines.visible = false;
  }

  /** Replaces all frames; their axes have this length. */
  set(frames: NamedFrame[], length: number): void {
    this.frames = frames;
    const ends = frames.flatMap(({ at, turn }) => AXES.flatMap(([, axis]) => {
      const end = new THREE.Vector3(...axis).multiplyScalar(length).applyQuaternion(new THREE.Quaternion(...turn));
      return [...at, ...end.add(new THREE.Vector3(...at)).toArray()];
    }));
    const colours = frames.flatMap(() => AXES.flatMap(([colour]) => [colour, colour].flatMap((one) => new THREE.Color(one).toArray())));
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(ends, 3));
    this.lines.geometry.setAttribute('color', new THREE.Float32BufferAttribute(colours, 3));
    this.lines.visible = frames.length > 0;
    this.labels.forEach((label) => label.remove());
    this.labels = frames.map(({ name }) => make('div', { className: 'frame-label', textContent: name }));
    this.parent.append(...this.labels);
  }

  /** Moves the names to their frames on the screen; those behind the camera are hidden. */
  label(project: (point: Vec3) => Vec3, width: number, height: number): void {
    this.frames.forEach(({ at }, k) => {
      const [x, y, depth] = project(at);
      const label = this.labels[k]!;
      label.hidden = depth > 1 || Math.abs(x) > 1 || Math.abs(y) > 1;
      label.style.transform = `translate(${((x + 1) / 2) * width + 6}px, ${((1 - y) / 2) * height + 4}px)`;
    });
  }
}
