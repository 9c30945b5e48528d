import type { Shape, Vec3 } from './viewer';

/** Cells along the longest side of a shape, from fine to coarse. */
const CELLS = [40, 14, 5, 2];
/** Below so many triangles a coarser shape saves nothing. */
const FEWEST = 40;

/** A shape and coarser ones for when it is small in the view or much is to be drawn. */
export interface Level {
  shape: Shape;
  /** How far its points may be from those of the shape, as a share of its longest side. */
  off: number;
}

/**
 * Corners in one cell of a grid become one, and triangles that lose a corner are left out (Rossignac and Borrel 1993).
 * Only for looking at: every verdict is about the triangles themselves.
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
  const corner = new Uint32Array(positions.length / 3);
  for (let k = 0; k < corner.length; k++) {
    let key = 0;
    for (let axis = 0; axis < 3; axis++) key = key * (cells + 2) + Math.round((positions[3 * k + axis]! - low[axis]!) / cell);
    let number = known.get(key);
    if (number === undefined) {
      known.set(key, (number = kept.length / 3));
      kept.push(positions[3 * k]!, positions[3 * k + 1]!, positions[3 * k + 2]!);
    }
    corner[k] = number;
  }
  const left: number[] = [];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [corner[triangles[k]!]!, corner[triangles[k + 1]!]!, corner[triangles[k + 2]!]!];
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
 * Which level each body is drawn at, so that all together keep within a budget of triangles: those that are small in
 * the view become coarse first. `sizes` are the longest sides in pixels.
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
