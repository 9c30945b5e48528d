import type { Quat, Vec3 } from 'noli-viewer';

export type Relation = 'crossing' | 'inside' | 'touching' | 'closer' | 'undecided' | 'apart';
export const RELATIONS: Relation[] = ['inside', 'crossing', 'touching', 'closer', 'undecided', 'apart'];

/** What the page is made of; written by the crate `noli-pages`. Lengths for drawing are those of the page. */
export interface Data {
  title: string;
  outcome: string;
  summary: string;
  notes: string[];
  unit: string;
  /** How long a unit is on the page. */
  scale: number;
  up: 'y' | 'z';
  shapes: { size: Vec3; corners: string; triangles: string }[];
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
  crossings: number | null;
  gap: string;
  /** For sorting. */
  gap_at_least: number | null;
  guarantee: string;
  place: Vec3 | null;
  place_text: string;
  segments: string;
  /** The ends of the measured gap. */
  line: [Vec3, Vec3] | null;
  /** The body around the other one. */
  outer: number | null;
  clash?: Clash;
  /** When it happens, in seconds and from 0 to 1. */
  seconds?: number;
  time?: number;
}

/** More about bodies that meet. */
export interface Clash {
  depth: string;
  /** Both ends, for the table and for sorting. */
  depths: [number, number] | null;
  volume: string;
  /** From where they meet along the shortest way out that was found. */
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
  room: { time: number; gap: number; to: string }[];
}
