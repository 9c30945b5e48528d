import * as THREE from 'three';
import type { Axis } from './viewer';

/** At most so many lines a side. */
const MOST = 60;

/** A grid of lines below all bodies, at multiples of a length. */
export class Floor {
  readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: '#8d99a6', transparent: true, opacity: 0.45 }));

  constructor() {
    this.lines.visible = false;
    this.lines.frustumCulled = false;
  }

  /** Draws it below a box, with this distance of its lines; `null` removes it. `origin` is on one of its vertices. */
  set(box: THREE.Box3, up: Axis, step: number | null, origin: THREE.Vector3): void {
    this.lines.visible = step !== null && !box.isEmpty();
    if (!this.lines.visible || step === null) return;
    const [u, v] = (['x', 'y', 'z'] as Axis[]).filter((axis) => axis !== up) as [Axis, Axis];
    const reach = (axis: Axis) => {
      const low = Math.floor((box.min[axis] - origin[axis]) / step) - 1;
      const high = Math.ceil((box.max[axis] - origin[axis]) / step) + 1;
      return Array.from({ length: Math.min(high - low, MOST) + 1 }, (_, k) => origin[axis] + (low + k) * step);
    };
    const [us, vs] = [reach(u), reach(v)];
    const level = box.min[up];
    const point = (a: number, b: number) => new THREE.Vector3().setComponent('xyz'.indexOf(u), a).setComponent('xyz'.indexOf(v), b).setComponent('xyz'.indexOf(up), level).toArray();
    const ends = [...us.flatMap((a) => [...point(a, vs[0]!), ...point(a, vs.at(-1)!)]), ...vs.flatMap((b) => [...point(us[0]!, b), ...point(us.at(-1)!, b)])];
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry();
    this.lines.geometry.setAttribute('position', new THREE.Float32BufferAttribute(ends, 3));
  }
}
