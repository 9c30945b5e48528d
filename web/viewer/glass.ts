import * as THREE from 'three';
import { geometryOf } from './crowd';
import type { Shape, Vec3 } from './viewer';

/** A translucent mesh that no pointer picks, such as a swept volume. */
export class Glass {
  readonly root = new THREE.Group();

  /** Displays a mesh at a position, or none. */
  set(shape: Shape | null, at: Vec3, colour: string): void {
    for (const child of this.root.children as THREE.Mesh[]) {
      child.geometry.dispose();
      (child.material as THREE.Material).dispose();
    }
    this.root.clear();
    if (!shape || shape.triangles.length === 0) return;
    const material = new THREE.MeshLambertMaterial({ color: colour, transparent: true, opacity: 0.28, depthWrite: false, flatShading: true, side: THREE.DoubleSide });
    const mesh = new THREE.Mesh(geometryOf(shape), material);
    mesh.position.set(...at);
    // After all bodies, so that they show through.
    mesh.renderOrder = 1;
    this.root.add(mesh);
  }
}
