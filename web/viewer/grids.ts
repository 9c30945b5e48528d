import * as THREE from 'three';
import type { Shape, Vec3 } from './viewer';

/** Length of a drawn cube as a share of that of its cell, so that neighbours are distinct. */
const FILL = 0.94;
/** Opacity of uncertain cells. */
const UNCERTAIN = 0.14;
/** Opacity of cells of transparent bodies. */
const FAINT = 0.12;

/** A cell in the frame of the view. */
export interface Cell {
  at: Vec3;
  edge: number;
  turn: [number, number, number, number];
}

interface Drawn {
  cubes: { mesh: THREE.InstancedMesh<THREE.BoxGeometry, THREE.MeshLambertMaterial>; opacity: number }[];
  shape: Shape;
  place: THREE.Matrix4;
  isFaint: boolean;
  isShown: boolean;
}

/** The edges of cubes, as pairs of ends. */
export function outlines(cells: Cell[]): Float32Array {
  const vertices = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1, (k >> 1) & 1, k >> 2).subScalar(0.5));
  const pairs = vertices.flatMap((_, k) => [1, 2, 4].filter((bit) => !(k & bit)).map((bit) => [k, k | bit] as const));
  const [lines, turn, end] = [new Float32Array(cells.length * pairs.length * 6), new THREE.Quaternion(), new THREE.Vector3()];
  cells.forEach(({ at, edge, turn: by }, cell) => {
    turn.set(...by);
    pairs.flat().forEach((vertex, k) => {
      end.copy(vertices[vertex]!).multiplyScalar(edge).applyQuaternion(turn);
      lines.set([end.x + at[0], end.y + at[1], end.z + at[2]], (cell * pairs.length * 2 + k) * 3);
    });
  });
  return lines;
}

/** Voxel grids: bodies whose shape has cells instead of triangles. Uncertain cells are faint. */
export class Grids {
  readonly root = new THREE.Group();
  private readonly drawn = new Map<number, Drawn>();

  /** Replaces all bodies, given by the numbers of their shapes. */
  set(shapes: Shape[], bodies: number[]): void {
    for (const { cubes } of this.drawn.values()) {
      for (const { mesh } of cubes) {
        mesh.geometry.dispose();
        mesh.material.dispose();
        mesh.dispose();
      }
    }
    this.root.clear();
    this.drawn.clear();
    bodies.forEach((number, body) => {
      const shape = shapes[number]!;
      if (!shape.cells || shape.positions.length === 0) return;
      const { certain } = shape.cells;
      const cubes = [[0, certain, 1] as const, [certain, shape.positions.length / 3, UNCERTAIN] as const]
        .filter(([from, to]) => from < to)
        .map(([from, to, opacity]) => ({ mesh: this.cubes(shape, from, to), opacity }));
      this.drawn.set(body, { cubes, shape, place: new THREE.Matrix4(), isFaint: false, isShown: true });
    });
  }

  private cubes(shape: Shape, from: number, to: number): THREE.InstancedMesh<THREE.BoxGeometry, THREE.MeshLambertMaterial> {
    const side = shape.cells!.edge * FILL;
    const mesh = new THREE.InstancedMesh(new THREE.BoxGeometry(side, side, side), new THREE.MeshLambertMaterial(), to - from);
    const matrix = new THREE.Matrix4();
    for (let k = from; k < to; k += 1) {
      mesh.setMatrixAt(k - from, matrix.setPosition(shape.positions[3 * k]!, shape.positions[3 * k + 1]!, shape.positions[3 * k + 2]!));
    }
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.root.add(mesh);
    return mesh;
  }

  /** Places a body and sets its colour; `null` hides it. */
  place(body: number, place: THREE.Matrix4, colour: THREE.Color | null, isFaint: boolean): void {
    const drawn = this.drawn.get(body);
    if (!drawn) return;
    drawn.place.copy(place);
    [drawn.isFaint, drawn.isShown] = [isFaint, colour !== null];
    for (const { mesh, opacity } of drawn.cubes) {
      mesh.visible = colour !== null;
      mesh.matrix.copy(place);
      mesh.matrixWorldNeedsUpdate = true;
      if (colour) mesh.material.color.copy(colour);
      const shown = isFaint ? FAINT * opacity : opacity;
      if (mesh.material.transparent !== shown < 1) mesh.material.needsUpdate = true;
      mesh.material.transparent = shown < 1;
      mesh.material.opacity = shown;
      mesh.material.depthWrite = shown === 1;
    }
  }

  /** For tests: the numbers of drawn certain and uncertain cells. */
  counts(): [number, number] {
    const counts: [number, number] = [0, 0];
    for (const { isShown, cubes } of this.drawn.values()) {
      if (isShown) for (const { mesh, opacity } of cubes) counts[opacity === 1 ? 0 : 1] += mesh.count;
    }
    return counts;
  }

  /** Drawn cells with one of these points in or on them. */
  at(points: Vec3[]): Cell[] {
    const found = new Map<string, Cell>();
    for (const [body, { shape, place, isShown }] of this.drawn) {
      if (!isShown) continue;
      const [{ positions }, { edge }, back, local] = [shape, shape.cells!, place.clone().invert(), new THREE.Vector3()];
      // Points and cells are rounded to 32 bits.
      const reach = edge * 0.5005;
      for (const point of points) {
        local.set(...point).applyMatrix4(back);
        for (let k = 0; k < positions.length; k += 3) {
          const [x, y, z] = [positions[k]!, positions[k + 1]!, positions[k + 2]!];
          if (Math.abs(x - local.x) > reach || Math.abs(y - local.y) > reach || Math.abs(z - local.z) > reach) continue;
          const at = new THREE.Vector3(x, y, z).applyMatrix4(place);
          const turn = new THREE.Quaternion().setFromRotationMatrix(place);
          found.set(`${body} ${k}`, { at: at.toArray() as Vec3, edge, turn: turn.toArray() as Cell['turn'] });
        }
      }
    }
    return [...found.values()];
  }

  /** The first cell of each grid on a ray. */
  hits(ray: THREE.Raycaster): { body: number; point: THREE.Vector3; distance: number }[] {
    const local = new THREE.Ray();
    return [...this.drawn].filter(([, { isShown, isFaint }]) => isShown && !isFaint).flatMap(([body, { shape, place }]) => {
      local.copy(ray.ray).applyMatrix4(place.clone().invert());
      const [{ positions }, { edge, certain }] = [shape, shape.cells!];
      const [from, along] = [local.origin.toArray(), local.direction.toArray()];
      let least = Infinity;
      for (let k = 0; k < 3 * certain; k += 3) {
        let [enter, leave] = [0, least];
        for (let axis = 0; axis < 3; axis += 1) {
          const [one, other] = [-0.5, 0.5].map((side) => (positions[k + axis]! + side * edge - from[axis]!) / along[axis]!);
          enter = Math.max(enter, Math.min(one!, other!));
          leave = Math.min(leave, Math.max(one!, other!));
        }
        if (enter < leave) least = enter;
      }
      return least === Infinity ? [] : [{ body, point: ray.ray.at(least, new THREE.Vector3()), distance: least }];
    });
  }
}
