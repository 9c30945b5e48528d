import * as THREE from 'three';
import { chooseLevels, type Level } from './levels';
import type { Shape } from './viewer';

/** Placeholder geometry of a shape without triangles. */
const NOTHING: Shape = { positions: new Float32Array(9), triangles: new Uint32Array([0, 1, 2]) };

export function geometryOf(shape: Shape): THREE.BufferGeometry {
  const { positions, triangles } = shape.triangles.length > 0 ? shape : NOTHING;
  const made = new THREE.BufferGeometry();
  made.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  made.setIndex(new THREE.BufferAttribute(triangles, 1));
  return made;
}

/** All bodies without a special look, coarser if they are small in the view. */
export abstract class Crowd {
  readonly root = new THREE.Group();
  protected readonly places: THREE.Matrix4[];
  protected readonly colours: THREE.Color[];
  protected readonly shown: boolean[];
  protected readonly level: number[];
  private readonly sides: number[];
  private readonly solid: THREE.BufferGeometry[] = [];
  private readonly probe = new THREE.Mesh(undefined, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));

  constructor(protected readonly levels: Level[][], protected readonly shapeOf: number[], protected material: THREE.Material) {
    this.places = shapeOf.map(() => new THREE.Matrix4());
    this.colours = shapeOf.map(() => new THREE.Color());
    this.shown = shapeOf.map(() => true);
    this.level = shapeOf.map(() => 0);
    const size = new THREE.Vector3();
    this.sides = levels.map(([{ shape }]) => Math.max(...new THREE.Box3().setFromArray(shape.positions).getSize(size).toArray(), 0));
  }

  /** Marks the drawn geometry of a body as outdated. */
  protected abstract age(body: number): void;
  /** Updates all outdated geometry; called before a frame. */
  abstract flush(): void;
  abstract setMaterial(material: THREE.Material): void;

  place(body: number, place: THREE.Matrix4, shown: boolean): void {
    const wasShown = this.shown[body]!;
    this.shown[body] = shown;
    if (wasShown === shown && this.places[body]!.equals(place)) return;
    this.places[body]!.copy(place);
    if (shown || wasShown) this.age(body);
  }

  colour(body: number, colour: THREE.Color): void {
    this.colours[body]!.copy(colour);
    this.age(body);
  }

  /** Selects levels within a budget of triangles for a camera; `zoom` is the size in pixels of a unit length at distance 1. */
  choose(eye: THREE.Vector3, zoom: number, budget: number): void {
    if (this.levels.every((of) => of.length < 2)) return;
    const at = new THREE.Vector3();
    const sizes = this.shapeOf.map((shape, body) => {
      const side = this.sides[shape]!;
      return (side * zoom) / Math.max(at.setFromMatrixPosition(this.places[body]!).distanceTo(eye) - side / 2, 1e-3 * side, 1e-9);
    });
    chooseLevels(this.shapeOf.map((shape) => this.levels[shape]!), sizes, budget).forEach((level, body) => {
      if (level === this.level[body]) return;
      this.age(body);
      this.level[body] = level;
      this.age(body);
    });
  }

  /** Ray hits on the original shapes. */
  hits(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number }[] {
    return this.shapeOf.flatMap((shape, body) => {
      if (!this.shown[body]) return [];
      this.probe.geometry = this.solid[shape] ??= geometryOf(this.levels[shape]![0]!.shape);
      this.probe.matrixWorld.copy(this.places[body]!);
      const found: THREE.Intersection[] = [];
      this.probe.raycast(ray, found);
      return found.map(({ point, distance }) => ({ body, point, distance }));
    });
  }

  dispose(): void {
    this.root.removeFromParent();
    for (const mesh of this.root.children as THREE.Mesh[]) {
      mesh.geometry.dispose();
      if (mesh instanceof THREE.InstancedMesh) mesh.dispose();
    }
  }
}

/** For GPUs: one instanced draw call per shape. */
export class Copied extends Crowd {
  private readonly copies: { mesh: THREE.InstancedMesh | null; bodies: number[]; isOld: boolean }[][] = this.levels.map((of) => of.map(() => ({ mesh: null, bodies: [], isOld: true })));
  private readonly members: number[][] = this.levels.map((_, shape) => this.shapeOf.flatMap((of, body) => (of === shape ? [body] : [])));

  protected age(body: number): void {
    this.copies[this.shapeOf[body]!]![this.level[body]!]!.isOld = true;
  }

  setMaterial(material: THREE.Material): void {
    this.material = material;
    for (const { mesh } of this.copies.flat()) if (mesh) mesh.material = material;
  }

  flush(): void {
    this.copies.forEach((of, shape) => of.forEach((copies, level) => {
      if (!copies.isOld) return;
      copies.isOld = false;
      copies.bodies = this.members[shape]!.filter((body) => this.level[body] === level && this.shown[body]);
      if (copies.bodies.length > 0 || copies.mesh) this.fill((copies.mesh ??= this.made(shape, level)), copies.bodies);
    }));
  }

  private fill(mesh: THREE.InstancedMesh, bodies: number[]): void {
    bodies.forEach((body, instance) => {
      mesh.setMatrixAt(instance, this.places[body]!);
      mesh.setColorAt(instance, this.colours[body]!);
    });
    mesh.count = bodies.length;
    mesh.visible = bodies.length > 0;
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    mesh.boundingSphere = null;
  }

  private made(shape: number, level: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(geometryOf(this.levels[shape]![level]!.shape), this.material, this.members[shape]!.length);
    mesh.frustumCulled = false;
    this.root.add(mesh);
    return mesh;
  }
}

/** For software rendering, where draw calls and instances are expensive: all bodies as one mesh. */
export class Merged extends Crowd {
  private isOld = true;
  private readonly mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);

  protected age(): void {
    this.isOld = true;
  }

  setMaterial(material: THREE.Material): void {
    (material as THREE.MeshLambertMaterial).vertexColors = true;
    this.mesh.material = this.material = material;
  }

  flush(): void {
    if (!this.isOld) return;
    this.isOld = false;
    if (this.mesh.parent === null) this.root.add(this.mesh);
    const shapes = this.shapeOf.map((shape, body) => this.levels[shape]![this.level[body]!]!.shape);
    const bodies = shapes.flatMap((_, body) => (this.shown[body] ? [body] : []));
    const total = (count: (shape: Shape) => number) => bodies.reduce((sum, body) => sum + count(shapes[body]!), 0);
    const positions = new Float32Array(total((shape) => shape.positions.length));
    const colours = new Float32Array(positions.length);
    const triangles = new Uint32Array(total((shape) => shape.triangles.length));
    let [vertex, index] = [0, 0];
    for (const body of bodies) {
      const { positions: from, triangles: of } = shapes[body]!;
      const [m, { r, g, b }] = [this.places[body]!.elements, this.colours[body]!];
      for (let k = 0; k < of.length; k++) triangles[index++] = of[k]! + vertex / 3;
      for (let k = 0; k < from.length; k += 3, vertex += 3) {
        const [x, y, z] = [from[k]!, from[k + 1]!, from[k + 2]!];
        positions[vertex] = m[0]! * x + m[4]! * y + m[8]! * z + m[12]!;
        positions[vertex + 1] = m[1]! * x + m[5]! * y + m[9]! * z + m[13]!;
        positions[vertex + 2] = m[2]! * x + m[6]! * y + m[10]! * z + m[14]!;
        colours[vertex] = r;
        colours[vertex + 1] = g;
        colours[vertex + 2] = b;
      }
    }
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry();
    this.mesh.geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    this.mesh.geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
    this.mesh.geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    this.mesh.frustumCulled = false;
    this.mesh.visible = triangles.length > 0;
  }
}
