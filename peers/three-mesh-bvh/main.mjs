// The npm package of noli, its native code and three-mesh-bvh on the same meshes and poses: verdicts, then times.
//
//   npm install --prefix peers/three-mesh-bvh
//   NOLI_NPM=target/npm/release node peers/three-mesh-bvh/main.mjs A.stl B.stl [--poses 100000] [--native PROGRAM]
//     [--chromium] [--distances 1000] [--reach LENGTH] [--step LENGTH] [--near SHARE]
//
// Translations of B are up to the reach; every third pose has no rotation and is on a grid of this step, where faces may
// touch. With --near, separated bodies are moved together along their nearest points until this share of the reach is left
// between them, or until they overlap by it, in turns. Times are CPU time of the process; with --chromium also those of a
// worker in Chromium, by its clock.
//
// PROGRAM is `bindings/js/tests/native.c`, compiled against the C interface. Verdicts of three-mesh-bvh are judged by
// those of noli, which are exact. Meshes are surfaces: three-mesh-bvh has no solids.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Chromium, findChromium } from "../../bindings/js/tests/chromium.mjs";
import { WORKER, inWorker, served } from "../../bindings/js/tests/server.mjs";
import { noliModule, obj, poseAt, poses } from "../../bindings/js/tests/support.mjs";

const [files, options] = [process.argv.slice(2, 4), process.argv.slice(4)];
const option = (name, usual) => (options.includes(name) ? options[options.indexOf(name) + 1] : usual);
if (files.length < 2) throw new Error("give two mesh files");
const count = Number(option("--poses", 100_000));

const noli = await noliModule.load();
const models = files.map((file) => noli.read(readFileSync(file), file));
const meshes = models.map((model) => model.mesh);
const size = ({ min, max }) => Math.hypot(...max.map((x, axis) => x - min[axis]));
const reach = Number(option("--reach", (size(models[0].bounds) + size(models[1].bounds)) / 3));
const all = poses(count, reach, Number(option("--step", reach / 12)), 40);

const near = Number(option("--near", 0));
if (near > 0) {
  for (let i = 0; i < count; i++) {
    const { atMost, points } = noli.clearance(models[0].at(), models[1].at(poseAt(all, i)));
    if (points === null || atMost === 0) continue;
    const left = ((i % 2 === 0 ? near : -near) * reach) / atMost;
    for (let axis = 0; axis < 3; axis++) all[7 * i + axis] += (points[0][axis] - points[1][axis]) * (1 - left);
  }
}

/** CPU time of the process in nanoseconds. */
function cpu() {
  const { user, system } = process.cpuUsage();
  return 1e3 * (user + system);
}

/** Runs a query at every pose; returns its answers and nanoseconds a query. */
function timed(query, from = 0, to = count) {
  const answers = new Float64Array(to);
  const start = cpu();
  for (let i = from; i < to; i++) answers[i] = query(i);
  return { answers, ns: (cpu() - start) / (to - from) };
}

const [a, b] = models;
const here = a.at();
// The compiler of the host optimises while queries run: some before the clock starts.
timed((i) => noli.overlap(here, b.at(poseAt(all, i))) === "colliding", 0, Math.min(count, 2000));
const overlap = timed((i) => (noli.overlap(here, b.at(poseAt(all, i))) === "colliding" ? 1 : 0));
const clearance = timed((i) => noli.clearance(here, b.at(poseAt(all, i))).atMost);
const begun = cpu();
const inBatch = noli.overlapBatch(here, b, all);
const batch = (cpu() - begun) / count;
const hits = overlap.answers.reduce((sum, hit) => sum + hit, 0);
const report = {
  files: files.map((file) => path.basename(file)),
  triangles: meshes.map((mesh) => mesh.triangles.length / 3),
  poses: count,
  colliding: hits,
  noli_wasm: { overlap_ns: overlap.ns, overlap_batch_ns: batch, clearance_ns: clearance.ns },
};

const program = option("--native", null);
if (program) report.noli_native = native(program);
if (options.includes("--chromium")) report.noli_chromium = await chromium();
report.three_mesh_bvh = await peer().catch((error) => ({ not_run: error.message }));
console.log(JSON.stringify(report, null, 2));

/** Verdicts and distances of native code, compared. */
function native(program) {
  const folder = mkdtempSync(path.join(tmpdir(), "noli-peer-"));
  try {
    const names = ["a.obj", "b.obj", "poses", "answers"].map((name) => path.join(folder, name));
    meshes.forEach((mesh, i) => writeFileSync(names[i], obj(mesh)));
    writeFileSync(names[2], all);
    const times = JSON.parse(execFileSync(program, names, { encoding: "utf8" }));
    const bytes = readFileSync(names[3]);
    const found = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
    let [verdicts, distances] = [0, 0];
    for (let i = 0; i < count; i++) {
      verdicts += found[3 * i] !== overlap.answers[i];
      distances += found[3 * i + 2] !== clearance.answers[i];
    }
    return { ...times, different_verdicts: verdicts, distances_with_other_bits: distances };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** three-mesh-bvh as a worker, with the modules it needs: workers have no import maps. */
function peerWorker() {
  const folder = new URL("node_modules/", import.meta.url);
  const bvh = readFileSync(new URL("three-mesh-bvh/build/index.module.js", folder), "utf8");
  const three = ["three.module.js", "three.core.js"].map((name) => [
    `/three/${name}`,
    readFileSync(new URL(`three/build/${name}`, folder)),
  ]);
  return {
    ...Object.fromEntries(three),
    "/bvh.js": bvh.replace("from 'three'", "from '/three/three.module.js'"),
    "/peer.js": `
      import { BufferAttribute, BufferGeometry, Matrix4, Quaternion, Vector3 } from "/three/three.module.js";
      import { MeshBVH } from "/bvh.js";
      const peer = ${testOf.toString()};
      onmessage = ({ data }) => {
        const test = peer({ BufferAttribute, BufferGeometry, Matrix4, Quaternion, Vector3, MeshBVH }, data.meshes, data.poses);
        const count = data.poses.length / 7;
        for (let i = 0; i < Math.min(count, 2000); i++) test(i);
        const [verdicts, start] = [[], performance.now()];
        for (let i = 0; i < count; i++) verdicts.push(test(i));
        postMessage({ verdicts, ms: performance.now() - start });
      };
      postMessage("ready");`,
  };
}

/** The same batch in a worker of Chromium, and three-mesh-bvh in another after it. */
async function chromium() {
  const server = await served({ "/empty.html": "<title>empty</title>", ...WORKER, ...peerWorker() });
  const browser = new Chromium(findChromium());
  try {
    await browser.open(`http://127.0.0.1:${server.address().port}/empty.html`);
    await browser.until(`document.title === "empty"`);
    const found = await inWorker(browser, meshes, all);
    const theirs = await inWorker(browser, meshes, all, "/peer.js");
    const different = (verdicts, right) => verdicts.filter((verdict, i) => verdict !== right[i]).length;
    return {
      overlap_batch_ns: (1e6 * found.ms) / count,
      different_verdicts: different(found.verdicts, inBatch),
      three_mesh_bvh_ns: (1e6 * theirs.ms) / count,
      three_mesh_bvh_false: different(theirs.verdicts, overlap.answers),
    };
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}

/** three-mesh-bvh on the same poses; its distances on the first ones only, because they take long. */
async function peer() {
  const { MeshBVH } = await import("three-mesh-bvh");
  const test = testOf({ ...(await import("three")), MeshBVH }, meshes, all);
  timed(test, 0, Math.min(count, 2000));
  const found = timed(test);
  let [missed, invented] = [0, 0];
  found.answers.forEach((hit, i) => {
    missed += overlap.answers[i] > hit;
    invented += overlap.answers[i] < hit;
  });
  const few = Math.min(count, Number(option("--distances", 1000)));
  const distance = timed(test.distance, 0, few);
  let worst = 0;
  for (let i = 0; i < few; i++) worst = Math.max(worst, Math.abs(distance.answers[i] - clearance.answers[i]) / reach);
  return { overlap_ns: found.ns, missed, invented, distance_ns: distance.ns, largest_relative_error: worst };
}

/** The test of three-mesh-bvh at the pose of a number. A worker gets its text: it uses nothing but its arguments. */
function testOf({ BufferAttribute, BufferGeometry, Matrix4, Quaternion, Vector3, MeshBVH }, meshes, all) {
  const geometries = meshes.map(({ vertices, triangles }) => {
    const geometry = new BufferGeometry();
    // Single precision, as every geometry of three has it.
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(vertices), 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
    geometry.boundsTree = new MeshBVH(geometry);
    return geometry;
  });
  const [position, rotation, scale, matrix] = [new Vector3(), new Quaternion(), new Vector3(1, 1, 1), new Matrix4()];
  const placed = (i) => {
    position.fromArray(all, 7 * i);
    rotation.fromArray(all, 7 * i + 3).normalize();
    return matrix.compose(position, rotation, scale);
  };
  const [first, second] = geometries;
  const test = (i) => (first.boundsTree.intersectsGeometry(second, placed(i)) ? 1 : 0);
  test.distance = (i) => first.boundsTree.closestPointToGeometry(second, placed(i)).distance;
  return test;
}
