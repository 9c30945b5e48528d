'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const element = (id) => document.getElementById(id);
const style = getComputedStyle(document.documentElement);
const colourOf = (relation) => style.getPropertyValue(`--${relation}`).trim();

const RELATIONS = ['crossing', 'inside', 'touching', 'closer', 'undecided', 'apart'];
/** Bodies of one family (what precedes a dot or slash) have one of these; all so pale that A and B stand out. */
const PLAIN = ['#c3ccd5', '#b4c3d0', '#cfc9bb', '#b9c9b9', '#cdbfc6', '#b2c6c9', '#c5c3d4', '#d0cbc2'];
const GHOST = '#8d99a6';
/** Above so many triangles, edges are not drawn. */
const MOST_EDGED = 400_000;
const A = '#f08c00';
const B = '#1c7ed6';
const CLASH = '#e03131';

/* The table. */

const counts = Object.fromEntries(RELATIONS.map((relation) => [relation, data.pairs.filter((pair) => pair.relation === relation).length]));
const anyHit = data.pairs.some((pair) => pair.hit);
const shown = new Set(RELATIONS.filter((relation) => relation !== 'apart' || !anyHit));
let selected = null;

function make(tag, properties = {}, children = []) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function dot(relation) {
  const made = make('span', { className: 'dot' });
  made.style.setProperty('--of', `var(--${relation})`);
  return made;
}

function row(pair, index) {
  const name = (body) => make('td', { textContent: data.bodies[body].name, title: data.bodies[body].name });
  const number = (text) => make('td', { className: 'number', textContent: text, title: text });
  const made = make('tr', {}, [
    make('td', {}, [make('span', { className: 'relation' }, [dot(pair.relation), pair.relation])]),
    name(pair.a),
    name(pair.b),
    number(pair.crossings ?? ''),
    number(pair.gap),
  ]);
  made.dataset.pair = index;
  made.setAttribute('aria-selected', 'false');
  made.addEventListener('click', () => select(index));
  return made;
}

const rows = data.pairs.map(row);

function filter() {
  const wanted = element('search').value.toLowerCase();
  const named = (body) => data.bodies[body].name.toLowerCase().includes(wanted);
  let any = false;
  data.pairs.forEach((pair, index) => {
    const fits = shown.has(pair.relation) && (named(pair.a) || named(pair.b));
    rows[index].hidden = !fits;
    any ||= fits;
  });
  element('none').hidden = any;
  view?.filter();
}

function fill() {
  document.title = `${data.outcome} – noli`;
  element('outcome').textContent = data.outcome;
  element('title').textContent = element('title').title = data.title;
  element('summary').textContent = data.summary;
  element('notes').append(...data.notes.map((note) => make('li', { textContent: note })));
  if (data.unit) element('gap-head').textContent = `Gap (${data.unit})`;
  element('rows').append(...rows);
  for (const relation of RELATIONS.filter((relation) => counts[relation] > 0)) {
    const button = make('button', {}, [dot(relation), `${counts[relation]} ${relation}`]);
    button.setAttribute('aria-pressed', shown.has(relation));
    button.addEventListener('click', () => {
      if (!shown.delete(relation)) shown.add(relation);
      button.setAttribute('aria-pressed', shown.has(relation));
      filter();
    });
    element('filters').append(button);
  }
}

/* One pair is looked at, or none. */

function select(index) {
  if (selected !== null) rows[selected].setAttribute('aria-selected', 'false');
  selected = index;
  document.body.dataset.selected = index ?? '';
  element('card').hidden = index === null;
  if (index !== null) {
    rows[index].setAttribute('aria-selected', 'true');
    rows[index].scrollIntoView({ block: 'nearest' });
    describe(data.pairs[index]);
  }
  view?.select(index);
}

function describe(pair) {
  const swatch = (colour) => {
    const made = make('span', { className: 'swatch' });
    made.style.background = colour;
    return made;
  };
  const facts = [
    ['A', [swatch(A), data.bodies[pair.a].name]],
    ['B', [swatch(B), data.bodies[pair.b].name]],
    ['Gap', [`${pair.gap} ${data.unit}`]],
    ['Where', [pair.place_text || 'not known']],
    ['Guarantee', [pair.guarantee]],
  ];
  if (pair.crossings) facts.splice(2, 0, ['Crossing', [`${pair.crossings} pairs of faces`]]);
  element('says').textContent = pair.says;
  element('facts').replaceChildren(...facts.flatMap(([term, text]) => [make('dt', { textContent: term }), make('dd', {}, text)]));
}

function step(by) {
  const visible = data.pairs.map((_, index) => index).filter((index) => !rows[index].hidden);
  if (visible.length === 0) return;
  const at = visible.indexOf(selected);
  select(visible[at < 0 ? 0 : Math.min(Math.max(at + by, 0), visible.length - 1)]);
}

/* The view. */

function decode(text, Type) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer);
}

function geometry(shape) {
  const whole = decode(shape.corners, Uint16Array);
  const corners = new Float32Array(whole.length);
  for (let i = 0; i < whole.length; i++) corners[i] = shape.min[i % 3] + (whole[i] / 65535) * shape.size[i % 3];
  const made = new THREE.BufferGeometry();
  made.setAttribute('position', new THREE.BufferAttribute(corners, 3));
  made.setIndex(new THREE.BufferAttribute(decode(shape.triangles, Uint32Array), 1));
  return made;
}

/** A round mark with a rim. */
function disc() {
  const canvas = make('canvas', { width: 64, height: 64 });
  const pen = canvas.getContext('2d');
  pen.arc(32, 32, 25, 0, 2 * Math.PI);
  pen.fillStyle = '#fff';
  pen.fill();
  pen.lineWidth = 7;
  pen.strokeStyle = '#333';
  pen.stroke();
  return new THREE.CanvasTexture(canvas);
}

class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(35, 1, 0.05, 5000);
    this.camera.up.set(0, 0, 1);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.ask());
    this.controls.addEventListener('start', () => { this.flight = null; });
    this.light();
    this.addBodies();
    this.addMarks();
    this.clash = new THREE.LineSegments(
      new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color: CLASH, depthTest: false, transparent: true }),
    );
    // Lines are one pixel wide on most machines; dots at their ends make them bolder.
    this.dots = new THREE.Points(
      this.clash.geometry,
      new THREE.PointsMaterial({ color: CLASH, size: 4 * this.renderer.getPixelRatio(), sizeAttenuation: false, depthTest: false, transparent: true }),
    );
    for (const drawn of [this.clash, this.dots]) {
      drawn.renderOrder = 3;
      drawn.frustumCulled = false;
      this.scene.add(drawn);
    }
    this.whole = new THREE.Box3().setFromObject(this.bodies);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
    this.fit(false);
    this.pick();
  }

  light() {
    this.scene.add(new THREE.HemisphereLight('#ffffff', '#97a3b0', 1.9));
    const sun = new THREE.DirectionalLight('#ffffff', 1.5);
    sun.position.set(0.4, 0.6, 1);
    this.camera.add(sun);
    this.scene.add(this.camera);
  }

  addBodies() {
    const material = (color, options = {}) => new THREE.MeshLambertMaterial({ color, flatShading: true, side: THREE.DoubleSide, ...options });
    const glass = { transparent: true, depthWrite: false };
    this.plain = PLAIN.map((color) => material(color, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    this.ghost = material(GHOST, { ...glass, opacity: 0.06 });
    const glowing = (color) => material(color, { ...glass, opacity: 0.6, emissive: color, emissiveIntensity: 0.35 });
    [this.first, this.second] = [A, B].map(glowing);
    const shapes = data.shapes.map(geometry);
    const edged = shapes.reduce((sum, shape) => sum + shape.index.count / 3, 0) <= MOST_EDGED;
    const edges = edged ? shapes.map((shape) => new THREE.EdgesGeometry(shape, 28)) : [];
    const line = new THREE.LineBasicMaterial({ color: '#3b4754', transparent: true, opacity: 0.42 });
    this.bodies = new THREE.Group();
    data.bodies.forEach((body, index) => {
      const mesh = new THREE.Mesh(shapes[body.shape], this.plainOf(body));
      if (edged) mesh.add(new THREE.LineSegments(edges[body.shape], line));
      mesh.position.fromArray(body.at);
      mesh.quaternion.fromArray(body.turn);
      mesh.userData.body = index;
      this.bodies.add(mesh);
    });
    this.bodies.updateMatrixWorld(true);
    this.scene.add(this.bodies);
  }

  plainOf(body) {
    const family = body.name.split(/[./]/)[0];
    const sum = [...family].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 65521, 7);
    return this.plain[sum % this.plain.length];
  }

  addMarks() {
    const map = disc();
    this.marks = new THREE.Group();
    data.pairs.forEach((pair, index) => {
      if (!pair.hit || !pair.place) return;
      const at = new THREE.BufferGeometry();
      at.setAttribute('position', new THREE.BufferAttribute(new Float32Array(pair.place), 3));
      const material = new THREE.PointsMaterial({
        color: colourOf(pair.relation), map, size: 15 * this.renderer.getPixelRatio(), sizeAttenuation: false, transparent: true, depthTest: false,
      });
      const mark = new THREE.Points(at, material);
      mark.userData.pair = index;
      mark.renderOrder = 4;
      this.marks.add(mark);
    });
    this.scene.add(this.marks);
  }

  filter() {
    for (const mark of this.marks.children) mark.visible = !rows[mark.userData.pair].hidden && (selected === null || selected === mark.userData.pair);
    this.ask();
  }

  select(index) {
    const pair = index === null ? null : data.pairs[index];
    const others = element('others').checked;
    for (const mesh of this.bodies.children) {
      const body = mesh.userData.body;
      const chosen = pair && (body === pair.a || body === pair.b);
      mesh.visible = !pair || chosen || others;
      mesh.material = !pair ? this.plainOf(data.bodies[body]) : body === pair.a ? this.first : body === pair.b ? this.second : this.ghost;
      mesh.renderOrder = chosen ? 2 : 0;
      for (const edges of mesh.children) edges.visible = !pair || chosen;
    }
    const ends = pair ? decode(pair.segments, Float32Array) : new Float32Array();
    this.clash.geometry.dispose();
    this.clash.geometry = this.dots.geometry = new THREE.BufferGeometry();
    this.clash.geometry.setAttribute('position', new THREE.BufferAttribute(ends, 3));
    this.filter();
    if (pair) this.look(pair, ends);
    this.ask();
  }

  /** Flies to where two bodies meet, near enough to see how. */
  look(pair, ends) {
    const boxes = [pair.a, pair.b].map((body) => new THREE.Box3().setFromObject(this.bodies.children[body]));
    const radius = (box) => box.getSize(new THREE.Vector3()).length() / 2;
    const target = pair.place ? new THREE.Vector3(...pair.place) : boxes[0].getCenter(new THREE.Vector3());
    let near = Math.min(...boxes.map(radius));
    if (ends.length > 0) {
      const box = new THREE.Box3().setFromArray(ends);
      box.getCenter(target);
      near = Math.max(radius(box) * 1.6, Math.min(near, this.size() * 0.06));
    }
    this.fly(target, Math.max(near * 3.6, this.size() * 0.02));
  }

  size() {
    return this.whole.isEmpty() ? 1 : this.whole.getSize(new THREE.Vector3()).length();
  }

  fit(animated = true) {
    const middle = this.whole.isEmpty() ? new THREE.Vector3() : this.whole.getCenter(new THREE.Vector3());
    const narrow = Math.min(1, this.camera.aspect);
    const distance = (0.5 * this.size()) / Math.sin((this.camera.fov * Math.PI) / 360) / narrow * 0.98;
    this.fly(middle, distance, new THREE.Vector3(0.55, -0.75, 0.6).normalize(), animated);
  }

  fly(target, distance, direction, animated = true) {
    direction ??= this.camera.position.clone().sub(this.controls.target).normalize();
    const place = target.clone().addScaledVector(direction, distance);
    this.flight = { from: [this.camera.position.clone(), this.controls.target.clone()], to: [place, target], start: performance.now(), lasts: animated ? 550 : 0 };
    this.ask();
  }

  /** Moves along the flight; true while there is more to come. */
  advance(now) {
    if (!this.flight) return false;
    const { from, to, start, lasts } = this.flight;
    const t = lasts > 0 ? Math.min(Math.max((now - start) / lasts, 0), 1) : 1;
    const eased = t * t * (3 - 2 * t);
    this.camera.position.lerpVectors(from[0], to[0], eased);
    this.controls.target.lerpVectors(from[1], to[1], eased);
    if (t >= 1) this.flight = null;
    this.controls.update();
    return t < 1;
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.ask();
  }

  /** Draws once, soon. */
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      const more = this.advance(now);
      this.draw();
      if (more) this.ask();
      document.body.dataset.still = !more;
    });
  }

  draw() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = distance / 500;
    this.camera.far = distance + 4 * this.size();
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }

  /** A click (not a drag) on a mark or a body selects its pair. */
  pick() {
    let down = null;
    this.canvas.addEventListener('pointerdown', (event) => { down = [event.clientX, event.clientY]; });
    this.canvas.addEventListener('pointerup', (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const pair = this.pairAt(event);
      if (pair !== null) select(pair);
    });
  }

  pairAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    for (const mark of this.marks.children.filter((mark) => mark.visible)) {
      const at = new THREE.Vector3(...data.pairs[mark.userData.pair].place).project(this.camera);
      if (Math.hypot(((at.x + 1) / 2) * box.width - x, ((1 - at.y) / 2) * box.height - y) < 10) return mark.userData.pair;
    }
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((x / box.width) * 2 - 1, 1 - (y / box.height) * 2), this.camera);
    const hit = ray.intersectObjects(this.bodies.children.filter((mesh) => mesh.visible && mesh.material !== this.ghost))[0];
    if (!hit) return null;
    const body = hit.object.userData.body;
    const of = data.pairs.findIndex((pair, index) => !rows[index].hidden && (pair.a === body || pair.b === body));
    return of < 0 ? null : of;
  }
}

let view = null;
fill();
try {
  view = new View(element('view'));
} catch (error) {
  element('hint').textContent = `This browser shows no 3D (${error.message}). The table works without.`;
  element('tools').hidden = true;
}
filter();

element('search').addEventListener('input', filter);
element('others').addEventListener('change', () => view?.select(selected));
element('close').addEventListener('click', () => select(null));
element('whole').addEventListener('click', () => { select(null); view?.fit(); });
document.addEventListener('keydown', (event) => {
  if (event.target === element('search')) return;
  if (event.key === 'Escape') { select(null); view?.fit(); }
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) { event.preventDefault(); step(by); }
});
