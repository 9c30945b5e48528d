// The example page in a browser: two STL files, one dragged into the other; and a worker with the verdicts of Node.
import assert from "node:assert/strict";
import test from "node:test";
import { Chromium, findChromium } from "./chromium.mjs";
import { WORKER, inWorker, served } from "./server.mjs";
import { cube, noliModule, poses, stl, torus } from "./support.mjs";

const program = findChromium();
// NOLI_POSES makes a campaign of it.
const { NOLI_POSES = "3000" } = process.env;

test("page and worker in Chromium", { skip: program ? false : "no Chromium" }, async () => {
  const files = { "/a.stl": stl(torus(1, 0.4, 40, 20)), "/b.stl": stl(cube) };
  const all = poses(Number(NOLI_POSES), 2.4, 0.2, 77);
  const meshes = [torus(1, 0.4, 24, 12), cube];
  const server = await served({ ...files, ...WORKER });
  const root = `http://127.0.0.1:${server.address().port}`;
  const browser = new Chromium(program);
  try {
    await browser.open(`${root}/?a=a.stl&b=b.stl`);
    const verdict = `document.getElementById("answer")?.dataset.verdict`;
    await browser.until(`${verdict} === "separated"`);
    const text = await browser.value(`document.getElementById("answer").value`);
    const clearance = Number(text.match(/clearance ([\d.]+)\.$/)[1]);
    const noli = await noliModule.load();
    const [a, b] = ["/a.stl", "/b.stl"].map((file) => noli.read(files[file], file, { solid: true }));
    const size = ({ min, max }) => Math.hypot(...max.map((x, axis) => x - min[axis]));
    const gap = 0.1 * (size(a.bounds) + size(b.bounds));
    const there = b.at({ translation: [a.bounds.max[0] - b.bounds.min[0] + gap, 0, 0] });
    assert.equal(clearance, Number(noli.clearance(a.at(), there).atMost.toPrecision(6)));
    // B follows the mouse to the middle of A; every step queries anew.
    await browser.drag([531, 323], [400, 285], 25);
    await browser.until(`${verdict} === "colliding"`);
    await browser.drag([400, 285], [700, 350], 25);
    await browser.until(`${verdict} === "separated"`);

    const found = await inWorker(browser, meshes, all);
    const [first, second] = meshes.map((mesh) => noli.mesh(mesh));
    assert.deepEqual(found.verdicts, [...noli.overlapBatch(first.at(), second, all)]);
    assert.deepEqual(browser.errors, []);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
});
