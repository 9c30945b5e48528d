import * as THREE from 'three';
import type { Shape } from './viewer';

/** Least diameter of a drawn point, in pixels. */
const LEAST = 2;
/** Opacity of points of transparent bodies. */
const FAINT = 0.15;

/** Round points with a radius in lengths of the view. */
function material(radius: number, fov: number): THREE.PointsMaterial {
  // Three.js divides the size by the distance and multiplies it by half the height of the view.
  const made = new THREE.PointsMaterial({ size: (2 * radius) / Math.tan((fov * Math.PI) / 360), sizeAttenuation: true });
  made.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace('#include <logdepthbuf_vertex>', `gl_PointSize = max(gl_PointSize, ${LEAST.toFixed(1)});\n#include <logdepthbuf_vertex>`);
    shader.fragmentShader = shader.fragmentShader.replace('#include <clipping_planes_fragment>', 'float rim = 4.0 * dot(gl_PointCoord - 0.5, gl_PointCoord - 0.5);\nif (rim > 1.0) discard;\ndiffuseColor.rgb *= 0.5 + 0.5 * sqrt(1.0 - rim);\n#include <clipping_planes_fragment>');
  };
  return made;
}

/** Point clouds: bodies whose shape has points instead of triangles. */
export class Clouds {
  readonly root = new THREE.Group();
  private readonly drawn = new Map<number, THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>>();
  private radius = new Map<number, number>();

  /** With the vertical field of view of the camera, in degrees. */
  constructor(private readonly fov: number) {}

  /** Replaces all bodies, given by the numbers of their shapes. */
  set(shapes: Shape[], bodies: number[]): void {
    for (const points of this.drawn.values()) {
      points.geometry.dispose();
      points.material.dispose();
    }
    this.root.clear();
    this.drawn.clear();
    this.radius.clear();
    bodies.forEach((number, body) => {
      const shape = shapes[number]!;
      if (shape.radius === undefined || shape.positions.length === 0) return;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(shape.positions, 3));
      const points = new THREE.Points(geometry, material(shape.radius, this.fov));
      points.matrixAutoUpdate = false;
      this.drawn.set(body, points);
      this.radius.set(body, shape.radius);
      this.root.add(points);
    });
  }

  /** Places a body and sets its colour; `null` hides it. */
  place(body: number, place: THREE.Matrix4, colour: THREE.Color | null, isFaint: boolean): void {
    const points = this.drawn.get(body);
    if (!points) return;
    points.visible = colour !== null;
    points.matrix.copy(place);
    points.matrixWorldNeedsUpdate = true;
    if (colour) points.material.color.copy(colour);
    points.material.transparent = isFaint;
    points.material.opacity = isFaint ? FAINT : 1;
    points.material.depthWrite = !isFaint;
  }

  /** For tests: the number of drawn points. */
  count(): number {
    return [...this.drawn.values()].filter((points) => points.visible).reduce((sum, { geometry }) => sum + geometry.attributes.position!.count, 0);
  }

  /** Points on a ray. */
  hits(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number }[] {
    return [...this.drawn].filter(([, points]) => points.visible && points.material.opacity === 1).flatMap(([body, points]) => {
      points.updateMatrixWorld();
      // Single points are hard to press on: the neighbourhood counts.
      ray.params.Points = { threshold: Math.max(this.radius.get(body)!, ray.ray.origin.length() * 0.003) };
      return ray.intersectObject(points, false).map(({ point, distance }) => ({ body, point, distance }));
    });
  }
}
