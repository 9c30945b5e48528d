import type { Mark, Vec3 } from './viewer';

/** Marks that are drawn as one. */
export interface Cluster extends Mark {
  /** Numbers of its marks. */
  members: number[];
}

/** Up to this number, every mark is drawn by itself. */
const MOST_SINGLE = 60;

/** Joins marks of one colour that lie in one cell of a grid, so that they do not hide the bodies. */
export function clustersOf(marks: Mark[], cell: number): Cluster[] {
  if (marks.length <= MOST_SINGLE) return marks.map((mark, number) => ({ ...mark, members: [number] }));
  const found = new Map<string, Cluster>();
  marks.forEach((mark, number) => {
    const key = `${mark.colour} ${mark.at.map((x) => Math.floor(x / cell)).join(' ')}`;
    const known = found.get(key);
    if (!known) {
      found.set(key, { ...mark, at: [...mark.at], members: [number] });
      return;
    }
    known.members.push(number);
    const share = 1 / known.members.length;
    known.at = known.at.map((x, k) => x + (mark.at[k]! - x) * share) as Vec3;
  });
  return [...found.values()];
}

/** Size of a grid cell for a view of this width in the scene: about 24 cells across, in steps of powers of two. */
export function cellOf(width: number): number {
  return 2 ** Math.round(Math.log2(Math.max(width, 1e-9) / 24));
}
