// The same verdicts and distances as the C interface on this machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { cube, noliModule, obj, poseAt, poses, torus } from "./support.mjs";

// NOLI_POSES makes a campaign of it.
const { NOLI_C, NOLI_ROOT, CC = "cc", NOLI_POSES = "300" } = process.env;

function compiler() {
  try {
    execFileSync(CC, ["--version"], { stdio: "ignore" });
    return NOLI_C && NOLI_ROOT ? CC : null;
  } catch {
    return null;
  }
}

test("verdicts and distances of native code", { skip: compiler() ? false : "no C compiler or no library" }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "noli-js-"));
  try {
    const program = path.join(folder, "native");
    const include = path.join(NOLI_ROOT, "crates/capi/include");
    const source = path.join(NOLI_ROOT, "bindings/js/tests/native.c");
    const link = [`-L${NOLI_C}`, `-Wl,-rpath,${NOLI_C}`, "-lnoli_c", "-lm"];
    execFileSync(CC, ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", `-I${include}`, source, "-o", program, ...link]);
    const noli = await noliModule.load();
    const meshes = { torus: torus(1, 0.4, 24, 12), fine: torus(1, 0.3, 60, 30), cube };
    for (const [name, mesh] of Object.entries(meshes)) writeFileSync(path.join(folder, `${name}.obj`), obj(mesh));
    const models = Object.fromEntries(Object.entries(meshes).map(([name, mesh]) => [name, noli.mesh(mesh)]));
    for (const [first, second] of [["torus", "cube"], ["fine", "torus"], ["cube", "cube"]]) {
      const count = Number(NOLI_POSES);
      const all = poses(count, 2.4, 0.2, 40);
      writeFileSync(path.join(folder, "poses"), all);
      const files = [`${first}.obj`, `${second}.obj`, "poses", "answers"].map((file) => path.join(folder, file));
      execFileSync(program, files);
      const bytes = readFileSync(files[3]);
      const native = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
      let hits = 0;
      for (let i = 0; i < count; i++) {
        const [verdict, atLeast, atMost] = native.subarray(3 * i, 3 * i + 3);
        const placed = models[second].at(poseAt(all, i));
        const here = noli.overlap(models[first].at(), placed);
        assert.equal(here, ["separated", "colliding"][verdict], `${first}, ${second}, pose ${i}`);
        const distance = noli.clearance(models[first].at(), placed);
        // Two brackets of one number.
        assert.ok(distance.atLeast <= atMost && atLeast <= distance.atMost, `${first}, ${second}, pose ${i}`);
        hits += verdict;
      }
      assert.ok(hits > count / 15 && hits < count - count / 15, `${hits} of ${count} collide`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
