import type { Curve, Quat, Vec3 } from 'noli-viewer';

export type Relation = 'duplicate' | 'intersecting' | 'inside' | 'touching' | 'closer' | 'undecided' | 'separated';
export const RELATIONS: Relation[] = ['duplicate', 'inside', 'intersecting', 'touching', 'closer', 'undecided', 'separated'];

/** Data of the page, written by the crate `noli-pages`. Drawn lengths are in page units. */
export interface Data {
  title: string;
  outcome: string;
  summary: string;
  notes: string[];
  unit: string;
  /** Page units per unit of length. */
  scale: number;
  up: 'y' | 'z';
  shapes: { size: Vec3; vertices: string; triangles: string }[];
  bodies: { name: string; shape: number; turn: Quat; at: Vec3 }[];
  pairs: Pair[];
  play?: Play;
}

export interface Pair {
  a: number;
  b: number;
  relation: Relation;
  hit: boolean;
  says: string;
  intersections: number | null;
  clearance: string;
  /** For sorting. */
  clearance_at_least: number | null;
  guarantee: string;
  place: Vec3 | null;
  place_text: string;
  segments: string;
  /** The ends of the measured clearance. */
  line: [Vec3, Vec3] | null;
  /** The body that contains the other one. */
  outer: number | null;
  clash?: Clash;
  /** Time of the event, in seconds and from 0 to 1. */
  seconds?: number;
  time?: number;
}

/** Details of colliding bodies. */
export interface Clash {
  depth: string;
  /** Empty unless the overlap is thin, as in fits. */
  interference: string;
  /** Both bounds, for the table and for sorting. */
  depths: [number, number] | null;
  volume: string;
  /** From the contact point along the shortest separating translation found. */
  arrow: [Vec3, Vec3] | null;
  kind: string;
  status: string;
  group: string | null;
}

export interface Play {
  seconds: number;
  times: number[];
  bodies: number[];
  poses: string;
  curves: Curve[];
  /** Times of contacts, and the number of points at each. */
  contacts: [number, number][];
  contact_points: string;
  steps: Step[];
}

/** A step of a program or plan. */
export interface Step {
  time: number;
  label: string;
  text: string;
  note: string;
  hit: boolean;
}
