// Relation of two bodies by the npm package: a line has both, and is answered by a word.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(`${process.env.NOLI_NPM}/dist/index.js`));
const noli = await load();
const SHAPES = {
  box: (x, y, z) => noli.box(x, y, z),
  ellipsoid: (x, y, z) => noli.ellipsoid(x, y, z),
  sphere: (radius) => noli.sphere(radius),
  cylinder: (radius, height) => noli.cylinder(height, radius),
  capsule: (radius, length) => noli.capsule(length, radius),
  cone: (radius, height) => noli.cone(height, radius),
  half_space: () => noli.halfSpace(),
};

function placed([shape, ...words]) {
  const numbers = words.map(Number);
  const model = SHAPES[shape]
    ? SHAPES[shape](...numbers.slice(0, 3))
    : noli.read(readFileSync(words[0]), words[0], { solid: words[1] === "solid" });
  return model.at({ translation: numbers.slice(3, 6), rotation: numbers.slice(6) });
}

for await (const line of createInterface({ input: process.stdin })) {
  const words = line.split(" ");
  console.log(noli.relation(placed(words.slice(0, 11)), placed(words.slice(11))));
}
