import type { Shape, Vec3 } from './viewer';

/** Cells along the longest side of a shape, from fine to coarse. */
const CELLS = [40, 14, 5, 2];
/** Below this number of triangles a coarser shape saves nothing. */
const FEWEST = 40;

/** Level of detail of a shape, for small or many bodies. */
export interface Level {
  shape: Shape;
  /** Maximum deviation from the shape, as a fraction of its longest side. */
  off: number;
}

/**
 * Merges the vertices of each grid cell and removes degenerate triangles (Rossignac and Borrel 1993).
 * For display only: every verdict concerns the original triangles.
 */
export function coarser({ positions, triangles }: Shape, cells: number): Shape {
  const [low, high]: [Vec3, Vec3] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let k = 0; k < positions.length; k++) {
    const axis = k % 3;
    low[axis] = Math.min(low[axis]!, positions[k]!);
    high[axis] = Math.max(high[axis]!, positions[k]!);
  }
  const cell = Math.max(...high.map((x, axis) => x - low[axis]!)) / cells || 1;
  const known = new Map<number, number>();
  const kept: number[] = [];
  const vertex = new Uint32Array(positions.length / 3);
  for (let k = 0; k < vertex.length; k++) {
    let key = 0;
    for (let axis = 0; axis < 3; axis++) key = key * (cells + 2) + Math.round((positions[3 * k + axis]! - low[axis]!) / cell);
    let number = known.get(key);
    if (number === undefined) {
      known.set(key, (number = kept.length / 3));
      kept.push(positions[3 * k]!, positions[3 * k + 1]!, positions[3 * k + 2]!);
    }
    vertex[k] = number;
  }
  const left: number[] = [];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [vertex[triangles[k]!]!, vertex[triangles[k + 1]!]!, vertex[triangles[k + 2]!]!];
    if (a !== b && b !== c && c !== a) left.push(a, b, c);
  }
  return { positions: new Float32Array(kept), triangles: new Uint32Array(left) };
}

/** A shape with its coarser versions, each with far fewer triangles than the one before. */
export function levelsOf(shape: Shape): Level[] {
  const levels: Level[] = [{ shape, off: 0 }];
  for (const cells of CELLS) {
    const last = levels.at(-1)!.shape;
    if (last.triangles.length < 3 * FEWEST) break;
    const next = coarser(shape, cells);
    if (next.triangles.length > 0 && next.triangles.length < 0.6 * last.triangles.length) levels.push({ shape: next, off: 1 / cells });
  }
  return levels;
}

/**
 * Selects the level of each body within a total budget of triangles. Bodies that are small in the view become coarse
 * first. `sizes` are the longest sides in pixels.
 */
export function chooseLevels(levels: Level[][], sizes: number[], budget: number): number[] {
  for (let pixels = 0.5; ; pixels *= 1.7) {
    let drawn = 0;
    const chosen = levels.map((all, body) => {
      const level = all.findLastIndex(({ off }) => off * sizes[body]! <= pixels);
      drawn += all[level]!.shape.triangles.length / 3;
      return level;
    });
    if (drawn <= budget || pixels > 400) return chosen;
  }
}
