// Layout of the records of noli.h for 32-bit pointers: sizes and offsets in bytes.

import type { Instance } from "./instance.js";
import { NoliError } from "./instance.js";
import type { Clearance, Contact, Impact, Intersection, Motion, Penetration, Pose, RayHit, Vector } from "./types.js";

export const PLACED = 64;
export const CLEARANCE = 72;
export const CONTACT = 88;
export const PENETRATION = 40;
export const INTERSECTION = 64;
export const RAY = 56;
export const RAY_HIT = 24;
export const MOVING = 200;
export const IMPACT_OPTIONS = 16;
export const IMPACT = 104;

export const VERDICTS = ["separated", "colliding", "unknown"] as const;
export const RELATIONS = ["separated", "touching", "intersecting", "inside", "unknown"] as const;
export const LOCATIONS = ["outside", "on surface", "inside", "unknown"] as const;
export const GUARANTEES = ["exact", "conservative", "approximate"] as const;
export const COMPLETENESS = ["complete", "enough", "partial"] as const;
const SIDES = ["front", "back", "grazing"] as const;
const IMPACTS = ["free", "at start", "at", "unknown"] as const;

const NO_TRANSLATION = [0, 0, 0];
const NO_ROTATION = [0, 0, 0, 1];

/** Writes numbers that were checked to be as many as named. */
function writeNumbers(instance: Instance, at: number, numbers: ArrayLike<number>, count: number, what: string): void {
  if (numbers.length !== count) {
    throw new NoliError("value", `${what} has ${numbers.length} numbers; give ${count}`);
  }
  const f64 = instance.f64;
  for (let i = 0; i < count; i++) f64[at / 8 + i] = Number(numbers[i]);
}

/** Writes a pose: 56 bytes. */
export function writePose(instance: Instance, at: number, pose: Pose): void {
  writeNumbers(instance, at, pose.translation ?? NO_TRANSLATION, 3, "translation");
  writeNumbers(instance, at + 24, pose.rotation ?? NO_ROTATION, 4, "rotation");
}

/** Writes the handle of a model. */
export function writeHandle(instance: Instance, at: number, handle: bigint): void {
  const u32 = instance.u32;
  u32[at / 4] = Number(handle & 0xffffffffn);
  u32[at / 4 + 1] = Number(handle >> 32n);
}

export function readHandle(instance: Instance, at: number): bigint {
  const u32 = instance.u32;
  return BigInt(u32[at / 4]!) | (BigInt(u32[at / 4 + 1]!) << 32n);
}

/** Writes a model in motion. */
export function writeMoving(instance: Instance, at: number, handle: bigint, motion: Motion): void {
  if (motion.end !== undefined && (motion.linear !== undefined || motion.angular !== undefined)) {
    throw new NoliError("value", "a motion has an end and velocities; give one of them");
  }
  const isMoving = motion.linear !== undefined || motion.angular !== undefined;
  writeHandle(instance, at, handle);
  instance.i32[at / 4 + 2] = motion.end !== undefined ? 1 : isMoving ? 2 : 0;
  writePose(instance, at + 16, motion.start ?? {});
  writePose(instance, at + 72, motion.end ?? {});
  writeVector(instance, at + 128, motion.pivot, "pivot");
  writeVector(instance, at + 152, motion.linear, "linear");
  writeVector(instance, at + 176, motion.angular, "angular");
}

/** Writes a vector; zero if absent. */
export function writeVector(instance: Instance, at: number, vector: ArrayLike<number> | undefined, what: string): void {
  writeNumbers(instance, at, vector ?? NO_TRANSLATION, 3, what);
}

export function readVector(instance: Instance, at: number): Vector {
  const f64 = instance.f64;
  return [f64[at / 8]!, f64[at / 8 + 1]!, f64[at / 8 + 2]!];
}

export function readClearance(instance: Instance, at: number): Clearance {
  const [f64, i32] = [instance.f64, instance.i32];
  return {
    atLeast: f64[at / 8]!,
    atMost: f64[at / 8 + 1]!,
    points: i32[at / 4 + 16] === 1 ? [readVector(instance, at + 16), readVector(instance, at + 40)] : null,
    guarantee: GUARANTEES[i32[at / 4 + 17]!]!,
  };
}

export function readContact(instance: Instance, at: number): Contact {
  return {
    onA: readVector(instance, at),
    onB: readVector(instance, at + 24),
    normal: readVector(instance, at + 48),
    depth: [instance.f64[at / 8 + 9]!, instance.f64[at / 8 + 10]!],
  };
}

export function readPenetration(instance: Instance, at: number): Penetration {
  const f64 = instance.f64;
  return { atLeast: f64[at / 8]!, atMost: f64[at / 8 + 1]!, direction: readVector(instance, at + 16) };
}

export function readIntersection(instance: Instance, at: number): Intersection {
  return {
    triangleA: instance.u32[at / 4]!,
    triangleB: instance.u32[at / 4 + 1]!,
    relation: RELATIONS[instance.i32[at / 4 + 2]!]!,
    segment: [readVector(instance, at + 16), readVector(instance, at + 40)],
  };
}

export function readRayHit(instance: Instance, at: number): RayHit {
  // Triangle numbers are below 2^32: the low half has them, the high half the sign.
  const triangle = instance.i32[at / 4 + 3]! < 0 ? -1 : instance.u32[at / 4 + 2]!;
  return { t: instance.f64[at / 8]!, triangle, side: SIDES[instance.i32[at / 4 + 4]!]! };
}

export function readImpact(instance: Instance, at: number): Impact {
  const [f64, i32] = [instance.f64, instance.i32];
  return {
    kind: IMPACTS[i32[at / 4]!]!,
    proven: i32[at / 4 + 1] === 1,
    safeUntil: f64[at / 8 + 1]!,
    touchingBy: f64[at / 8 + 2]!,
    points: i32[at / 4 + 24] === 1 ? [readVector(instance, at + 24), readVector(instance, at + 48)] : null,
    normal: readVector(instance, at + 72),
  };
}
