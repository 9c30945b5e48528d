// Two mesh files in a browser: drag one, and see clearance and collision at every move.
import { load } from "noli";
import { View } from "./view.js";

const noli = await load();
const answer = document.getElementById("answer");
const view = new View(document.getElementById("view"));
const bodies = { a: null, b: null };
const offset = [0, 0, 0];

/** Replaces a body by a file; the place of B is next to A. */
function put(name, bytes, file) {
  bodies[name]?.model.free();
  const model = noli.read(bytes, file, { solid: true });
  const { min, max } = model.bounds;
  bodies[name] = { model, size: Math.hypot(...max.map((x, axis) => x - min[axis])) };
  view.setMesh(name, model.mesh);
  if (bodies.a && bodies.b) {
    const [a, b] = [bodies.a.model.bounds, bodies.b.model.bounds];
    const gap = 0.1 * (bodies.a.size + bodies.b.size);
    offset.splice(0, 3, a.max[0] - b.min[0] + gap, 0, 0);
    view.frame([a.min, b.min.map((x, axis) => x + offset[axis])], [a.max, b.max.map((x, axis) => x + offset[axis])]);
  }
  update();
}

/** Queries the bodies as they are placed now. */
function update() {
  const { a, b } = bodies;
  if (!a || !b) return say("", "Choose two files.");
  const [first, second] = [a.model.at(), b.model.at({ translation: offset })];
  const relation = noli.relation(first, second);
  const collides = noli.overlap(first, second) === "colliding";
  const clearance = collides ? null : noli.clearance(first, second);
  view.draw({ offset, collides, segment: clearance?.points ?? null });
  if (collides) say("colliding", `Colliding (${relation}).`);
  else say("separated", `Separated; clearance ${clearance.atMost.toPrecision(6)}.`);
}

function say(verdict, text) {
  answer.dataset.verdict = verdict;
  answer.value = text;
}

for (const name of ["a", "b"]) {
  document.getElementById(name).addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (file) open(name, () => file.arrayBuffer(), file.name);
  });
}

/** Reads a file; its errors are shown with their remedy. */
async function open(name, bytes, file) {
  try {
    put(name, new Uint8Array(await bytes()), file);
  } catch (error) {
    say("error", error.message);
  }
}

view.onDrag = (moved, rotate) => {
  if (rotate) view.rotate(moved);
  else view.inWorld(moved).forEach((x, axis) => (offset[axis] += x));
  update();
};
addEventListener("resize", update);

// Files of the address: index.html?a=part.stl&b=other.stl
const named = new URLSearchParams(location.search);
for (const name of ["a", "b"]) {
  const url = named.get(name);
  if (url) await open(name, async () => (await fetch(url)).arrayBuffer(), url);
}
update();
