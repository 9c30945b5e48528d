// Plain data of queries and answers.

/** Point or vector: x, y, z. */
export type Vector = readonly [number, number, number];

/** Placement of a body: world from model. */
export interface Pose {
  /** Translation; zero if absent. */
  readonly translation?: ArrayLike<number>;
  /** Quaternion x, y, z, w of any length but zero; the identity if absent. */
  readonly rotation?: ArrayLike<number>;
}

/** Verdict of a test. Touching counts as colliding; `unknown` is the answer of an exhausted budget. */
export type Verdict = "separated" | "colliding" | "unknown";

/** Relation of two bodies. */
export type Relation = "separated" | "touching" | "intersecting" | "inside" | "unknown";

/** Location of a point. */
export type Location = "outside" | "on surface" | "inside" | "unknown";

/** Guarantee of an answer: exact on the numbers given, or never missing a contact. */
export type Guarantee = "exact" | "conservative" | "approximate";

/** Completeness of a list: `enough` if its limit was reached, `partial` if the budget ran out. */
export type Completeness = "complete" | "enough" | "partial";

/** Distance of two bodies as a bracket. */
export interface Clearance {
  /** No two points are closer. */
  readonly atLeast: number;
  /** Some pair of points is at most this close; infinite if none was found. */
  readonly atMost: number;
  /** Nearest points of both bodies, in world coordinates. */
  readonly points: readonly [Vector, Vector] | null;
  readonly guarantee: Guarantee;
}

/** Contact of two bodies. */
export interface Contact {
  readonly onA: Vector;
  readonly onB: Vector;
  /** Unit vector from A to B. */
  readonly normal: Vector;
  /** Bracket of the penetration depth. */
  readonly depth: readonly [number, number];
}

/** Deepest contact, or several that share a normal. */
export interface Contacts {
  readonly verdict: Verdict;
  readonly contacts: readonly Contact[];
}

/** Shortest separating translation. */
export interface Penetration {
  /** No shorter translation separates the bodies. */
  readonly atLeast: number;
  /** A translation of this length does; infinite if none was found. */
  readonly atMost: number;
  /** Direction in which B moves. */
  readonly direction: Vector;
}

/** Two intersecting triangles. */
export interface Intersection {
  readonly triangleA: number;
  readonly triangleB: number;
  readonly relation: Relation;
  /** Common segment, in world coordinates. */
  readonly segment: readonly [Vector, Vector];
}

/** Intersecting triangles of two bodies. */
export interface Intersections {
  readonly items: readonly Intersection[];
  readonly completeness: Completeness;
}

/** Intersection of a ray with a body. */
export interface RayHit {
  /** Parameter on the ray, in lengths of its direction. */
  readonly t: number;
  /** Triangle, or -1 for a body without faces. */
  readonly triangle: number;
  readonly side: "front" | "back" | "grazing";
}

/** Motion during the time from 0 to 1: between two poses, or with constant velocities. */
export interface Motion {
  readonly start?: Pose;
  /** Pose at time 1, with the shorter rotation about `pivot`. */
  readonly end?: Pose;
  /** Translation of the pivot, and rotation vector, during the unit of time; instead of `end`. */
  readonly linear?: Vector;
  readonly angular?: Vector;
  /** Point of the body that moves on a straight line, in the frame of the body. */
  readonly pivot?: Vector;
}

/** First contact of two moving bodies. */
export interface Impact {
  readonly kind: "free" | "at start" | "at" | "unknown";
  /** The contact is proven, not only an approach within the tolerance. */
  readonly proven: boolean;
  /** No contact before this time. */
  readonly safeUntil: number;
  /** In contact, up to the tolerance, no later than this. */
  readonly touchingBy: number;
  readonly points: readonly [Vector, Vector] | null;
  /** Unit vector from A to B; zero where overlap leaves it open. */
  readonly normal: Vector;
}

/** Limits of each query; absent ones do not exist. */
export interface Budget {
  /** Steps: the same answers on every machine. */
  readonly steps?: number;
  readonly seconds?: number;
}

/** Vertices and triangles, as typed arrays or plain ones. */
export interface MeshData {
  /** Three numbers a vertex. */
  readonly vertices: ArrayLike<number>;
  /** Three vertex numbers a triangle. */
  readonly triangles: ArrayLike<number>;
}

/** Options of models of meshes. */
export interface MeshOptions {
  /** The interior belongs to the body; otherwise the surface alone. */
  readonly solid?: boolean;
}
