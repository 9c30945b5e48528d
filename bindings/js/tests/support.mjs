// The built package, meshes, and repeatable random poses.
import path from "node:path";
import { pathToFileURL } from "node:url";

/** Folder of the built package: `cargo xtask npm --check` names it. */
export const PACKAGE = process.env.NOLI_NPM;
if (!PACKAGE) throw new Error("NOLI_NPM names no built package; run: cargo xtask npm --check");

export const noliModule = await import(pathToFileURL(path.join(PACKAGE, "dist/index.js")));

/** Repeatable numbers in [0, 1): mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Poses with translations up to `reach`, seven numbers each; every third is on a grid of `step` without rotation, where
 * faces touch.
 */
export function poses(count, reach, step, seed) {
  const next = random(seed);
  const signed = () => 2 * next() - 1;
  const all = new Float64Array(7 * count);
  for (let i = 0; i < count; i++) {
    if (i % 3 === 0) {
      const grid = () => step * Math.round((reach / step) * signed());
      all.set([grid(), grid(), grid(), 0, 0, 0, 1], 7 * i);
    } else {
      const t = [signed(), signed(), signed()].map((x) => reach * x);
      all.set([...t, signed(), signed(), signed(), signed() + 1e-3], 7 * i);
    }
  }
  return all;
}

/** A pose of an array. */
export const poseAt = (all, i) => ({
  translation: all.subarray(7 * i, 7 * i + 3),
  rotation: all.subarray(7 * i + 3, 7 * i + 7),
});

/** The surface of a torus about z. */
export function torus(radius, tube, around, across) {
  const vertices = [];
  const triangles = [];
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < across; j++) {
      const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / across];
      const r = radius + tube * Math.cos(v);
      vertices.push(r * Math.cos(u), r * Math.sin(u), tube * Math.sin(v));
      const at = (a, b) => (a % around) * across + (b % across);
      const [p, q, r1, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
      triangles.push(p, q, r1, p, r1, s);
    }
  }
  return { vertices: Float64Array.from(vertices), triangles: Uint32Array.from(triangles) };
}

/** The surface of a cube with edges of length 2. */
export const cube = {
  vertices: [-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1],
  triangles: [
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
  ],
};

/** A mesh as OBJ text: numbers in full. */
export function obj({ vertices, triangles }) {
  const lines = [];
  for (let i = 0; i < vertices.length; i += 3) lines.push(`v ${vertices[i]} ${vertices[i + 1]} ${vertices[i + 2]}`);
  for (let i = 0; i < triangles.length; i += 3) {
    lines.push(`f ${triangles[i] + 1} ${triangles[i + 1] + 1} ${triangles[i + 2] + 1}`);
  }
  return lines.join("\n") + "\n";
}

/** A mesh as binary STL, which has single precision. */
export function stl({ vertices, triangles }) {
  const bytes = new Uint8Array(84 + (50 * triangles.length) / 3);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles.length / 3, true);
  for (let i = 0; i < triangles.length; i++) {
    const at = 84 + 50 * Math.floor(i / 3) + 12 + 12 * (i % 3);
    for (let axis = 0; axis < 3; axis++) view.setFloat32(at + 4 * axis, vertices[3 * triangles[i] + axis], true);
  }
  return bytes;
}
