// Answers with known values, files, errors, budgets and workers.
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { PACKAGE, cube, noliModule, obj, poseAt, poses, stl, torus } from "./support.mjs";

const { load, NoliError } = noliModule;
const noli = await load();
const x = (translation) => ({ translation: [translation, 0, 0] });

test("known answers of all queries", () => {
  const box = noli.box(1, 1, 1);
  const ball = noli.sphere(0.5);
  const solid = noli.mesh(cube, { solid: true });
  assert.match(noli.version, /^\d+\.\d+\.\d+$/);
  assert.equal(noli.overlap(box.at(), ball.at(x(1.25))), "separated");
  assert.equal(noli.overlap(box.at(), ball.at(x(1))), "colliding", "touching counts");
  assert.equal(noli.relation(box.at(), ball.at(x(1))), "touching");
  assert.equal(noli.withinDistance(box.at(), ball.at(x(1.25)), 0.25), "colliding");
  assert.equal(noli.withinDistance(box.at(), ball.at(x(1.25)), 0.2499999), "separated");
  const clearance = noli.clearance(box.at(), ball.at(x(1.25)));
  assert.ok(clearance.atLeast <= 0.25 && clearance.atMost >= 0.25 && clearance.atMost < 0.25 + 1e-12);
  assert.equal(clearance.points[0][0], 0.5);
  assert.equal(clearance.guarantee, "exact");
  const depth = noli.penetration(solid.at(), box.at(x(1.25)));
  assert.ok(depth.atLeast <= 0.25 && depth.atMost >= 0.25, JSON.stringify(depth));
  assert.equal(noli.contact(box.at(), box.at(x(3))).verdict, "separated");
  const { verdict, contacts } = noli.contact(box.at(), box.at(x(0.75)));
  assert.equal(verdict, "colliding");
  assert.ok(Math.abs(contacts[0].normal[0] - 1) < 1e-9 && Math.abs(contacts[0].depth[1] - 0.25) < 1e-9);
  assert.equal(noli.manifold(box.at(), box.at(x(0.75))).contacts.length, 4);
  assert.equal(noli.locatePoint(solid.at(), [0, 0, 0]), "inside");
  assert.equal(noli.locatePoint(solid.at(), [1, 0, 0]), "on surface");
  const hits = noli.rayCast(solid.at(), [-9, 0.25, 0.125], [1, 0, 0]);
  assert.deepEqual(hits.map((hit) => [hit.t, hit.side]), [[8, "front"], [10, "back"]]);
  const found = noli.intersections(solid.at(), noli.mesh(cube).at(x(1)));
  assert.ok(found.items.length > 0 && found.completeness === "complete");
  const moving = { model: box, motion: { start: x(5), end: x(0) } };
  const impact = noli.timeOfImpact({ model: solid }, moving);
  assert.equal(impact.kind, "at");
  assert.ok(impact.safeUntil <= 0.7 && impact.touchingBy >= 0.7 - 1e-9 && impact.touchingBy < 0.70001);
  const turning = { model: noli.box(4, 0.1, 0.1), motion: { angular: [0, 0, 1.5] } };
  const wall = { model: ball, motion: { start: { translation: [0, 2.2, 0] } } };
  assert.equal(noli.timeOfImpact(turning, wall).kind, "at");
  assert.equal(noli.timeOfImpact(turning, { model: ball, motion: { start: x(9) } }).kind, "free");
  const cloud = noli.points([0, 0, 0, 3, 0, 0], 0.5);
  assert.equal(noli.overlap(cloud.at(), box.at(x(1))), "colliding");
  assert.equal(noli.overlap(cloud.at(), box.at(x(1.75))), "separated");
});

test("files of bytes and their triangles", () => {
  const fromObj = noli.read(new TextEncoder().encode(obj(cube)), "cube.obj", { solid: true });
  const fromStl = noli.read(stl(cube).buffer, "cube.stl");
  assert.deepEqual([...fromObj.mesh.triangles], cube.triangles);
  assert.deepEqual([...fromObj.mesh.vertices], cube.vertices);
  assert.equal(fromStl.mesh.vertices.length, 24, "vertices of STL are welded");
  assert.deepEqual(fromStl.bounds, { min: [-1, -1, -1], max: [1, 1, 1] });
  assert.equal(noli.overlap(fromObj.at(), fromStl.at(x(2))), "colliding");
  assert.equal(noli.overlap(fromObj.at(), fromStl.at(x(2.0000001))), "separated");
  assert.equal(noli.relation(fromObj.at(), noli.sphere(0.1).at()), "inside");
});

test("errors have a kind, a place and a remedy, and the instance goes on", () => {
  const fails = (work, kind, text) =>
    assert.throws(work, (error) => error instanceof NoliError && error.kind === kind && text.test(error.message));
  const bytes = (text) => new TextEncoder().encode(text);
  fails(() => noli.read(bytes("v 0 0 0\nf 1 2 9\n"), "bad.obj"), "file", /bad\.obj.*2/s);
  fails(() => noli.read(bytes("hello"), "notes.txt"), "file", /supported mesh format/);
  fails(() => noli.read(new Uint8Array(), "empty.stl"), "file", /empty/);
  fails(() => noli.sphere(NaN), "value", /give a length/);
  fails(() => noli.mesh({ vertices: [0, 0, 0], triangles: [0, 1, 2] }), "value", /vertex 1/);
  fails(() => noli.mesh({ vertices: [0, 0], triangles: [] }), "value", /three numbers/);
  const box = noli.box(1, 1, 1);
  fails(() => noli.overlap(box.at({ rotation: [0, 0, 0, 0] }), box.at()), "value", /quaternion/);
  fails(() => noli.overlap(box.at({ translation: [NaN, 0, 0] }), box.at()), "value", /finite/);
  fails(() => noli.overlap(box.at({ translation: [1, 2] }), box.at()), "value", /give 3/);
  fails(() => box.mesh, "value", /mesh/);
  const live = noli.liveHandles;
  box.free();
  box.free();
  assert.equal(noli.liveHandles, live - 1);
  fails(() => noli.overlap(box.at(), box.at()), "handle", /create/);
  assert.equal(noli.overlap(noli.sphere(1).at(), noli.sphere(1).at()), "colliding");
});

test("budgets of steps and of seconds end as unknown", () => {
  const a = noli.mesh(torus(1, 0.4, 60, 30));
  const near = a.at({ translation: [0, 0, 0.8000001] });
  const plain = noli.relation(a.at(), near);
  noli.setBudget({ steps: 1 });
  assert.equal(noli.clearance(a.at(), near).atMost, Infinity);
  noli.setBudget({ seconds: 0 });
  assert.equal(noli.overlap(a.at(), near), "unknown");
  noli.setBudget({ steps: 1e9, seconds: 60 });
  assert.equal(noli.relation(a.at(), near), plain);
  noli.setBudget({});
  assert.throws(() => noli.setBudget({ steps: 0 }), NoliError);
  noli.setBudget({});
});

test("memory grows under many models and is used again", () => {
  const { vertices, triangles } = torus(1, 0.4, 120, 100);
  const before = noli.liveHandles;
  for (let i = 0; i < 6; i++) {
    const model = noli.mesh({ vertices, triangles });
    assert.equal(model.mesh.triangles.length, triangles.length);
    model.free();
  }
  assert.equal(noli.liveHandles, before);
});

test("a worker has the same verdicts", async () => {
  const all = poses(600, 2.2, 0.2, 9);
  const [a, b] = [noli.mesh(torus(1, 0.4, 24, 12)), noli.mesh(cube)];
  const batch = noli.overlapBatch(a.at(), b, all);
  const single = Array.from(batch, (_, i) => noli.overlap(a.at(), b.at(poseAt(all, i))));
  assert.deepEqual([...batch], single.map((verdict) => ["separated", "colliding"].indexOf(verdict)));
  const hits = batch.reduce((sum, verdict) => sum + verdict, 0);
  assert.ok(hits > 50 && hits < 550, `${hits} collide`);
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     (async () => {
       const { load } = await import(workerData.index);
       const noli = await load({ module: workerData.module });
       const [a, b] = workerData.meshes.map((mesh) => noli.mesh(mesh));
       parentPort.postMessage(noli.overlapBatch(a.at(), b, workerData.poses));
     })();`,
    {
      eval: true,
      workerData: {
        index: `file://${PACKAGE}/dist/index.js`,
        module: noli.module,
        meshes: [torus(1, 0.4, 24, 12), cube],
        poses: all,
      },
    },
  );
  const there = await new Promise((resolve, reject) => worker.on("message", resolve).on("error", reject));
  assert.deepEqual([...there], [...batch]);
});
