import {
  COLOURS, Rows, Timeline, Viewer, commonBeginning, decode, element, followTheme, make, nameElement, theme,
  type Axis, type Body, type Look, type Shape, type Vec3,
} from 'noli-viewer';
import { RELATIONS, type Data, type Pair, type Relation, type Step } from './data';
import './style.css';

const chapters = [...document.querySelectorAll<HTMLScriptElement>('script.chapter')];
const chapter = Math.min(Number(/^#chapter=(\d+)/.exec(location.hash)?.[1] ?? 0), chapters.length - 1);
const data = JSON.parse(chapters[chapter]!.textContent!) as Data;
/** Address of a place on the page. */
const address = (rest: string) => [chapter > 0 ? `chapter=${chapter}` : '', rest].filter(Boolean).join('&');
const common = commonBeginning(data.bodies.map((body) => body.name));
const colourOf = (relation: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${relation}`).trim();
const shown = new Set<Relation>(RELATIONS.filter((relation) => relation !== 'separated' || !data.pairs.some((pair) => pair.hit)));
let selected: number | null = null;
let view: Viewer | null = null;
let timeline: Timeline | null = null;

/* The table. */

interface Column {
  title: string;
  number?: boolean;
  cell: (pair: Pair) => Node | string;
  /** Sort key: text or number. */
  key: (pair: Pair) => string | number;
}

function dot(relation: string): HTMLElement {
  const made = make('span', { className: 'dot' });
  made.style.setProperty('--of', `var(--${relation})`);
  return made;
}

/** Bodies that touch, intersect or contain each other; not those that are only too close. */
const collides = (pair: Pair) => pair.clash !== undefined && pair.relation !== 'closer';
const nameOf = (body: number) => data.bodies[body]!.name;
const withoutCommon = (text: string) => (common ? text.replaceAll(common, '') : text);
const unit = data.unit ? ` (${data.unit})` : '';
const ofUnit = data.unit ? ` ${data.unit}` : '';
const columns: Column[] = [
  {
    title: 'Relation',
    cell: (pair) => make('span', { className: 'relation' }, [dot(pair.relation), pair.relation]),
    key: (pair) => RELATIONS.indexOf(pair.relation),
  },
  { title: 'A', cell: (pair) => nameElement(nameOf(pair.a), common), key: (pair) => nameOf(pair.a) },
  { title: 'B', cell: (pair) => nameElement(nameOf(pair.b), common), key: (pair) => nameOf(pair.b) },
];
if (data.play) {
  columns.push({ title: 'Time (s)', number: true, cell: (pair) => pair.seconds?.toFixed(3) ?? '', key: (pair) => pair.seconds ?? Infinity });
} else {
  // Colliding bodies have a penetration depth, separated ones a clearance, also where it is less than the margin.
  const extent = (pair: Pair) => (collides(pair) ? -(pair.clash?.depths?.[1] ?? 0) : pair.clearance_at_least ?? Infinity);
  const depth = ([least, most]: [number, number]) => {
    const [low, high] = [least, most].map((x) => String(Number(x.toPrecision(3))));
    return most === 0 ? '' : low === high ? high! : `${low} – ${high}`;
  };
  const title = !data.pairs.some(collides) ? 'Clearance' : data.pairs.every(collides) ? 'Penetration depth' : 'Depth/clearance';
  const length = (pair: Pair) => (!collides(pair) ? pair.clearance : pair.clash?.depths ? depth(pair.clash.depths) : pair.clash?.depth ?? '');
  columns.push({ title: title + unit, number: true, cell: length, key: extent });
  if (data.pairs.some((pair) => pair.clash?.interference)) {
    const first = (pair: Pair) => -(Number.parseFloat(pair.clash?.interference || '0') || 0);
    columns.push({ title: `Interference${unit}`, number: true, cell: (pair) => pair.clash?.interference ?? '', key: first });
  }
  const statuses = new Set(data.pairs.flatMap((pair) => pair.clash?.status ?? []));
  if (statuses.size > 1 || (statuses.size === 1 && !statuses.has('new'))) {
    columns.push({ title: 'Status', cell: (pair) => pair.clash?.status ?? '', key: (pair) => pair.clash?.status ?? '~' });
  }
}

const rows = new Rows(element('list'), element('rows'));

function rowOf(index: number): HTMLElement {
  const pair = data.pairs[index]!;
  const cells = columns.map((column) => make('td', { className: column.number ? 'number' : '' }, [column.cell(pair)]));
  const made = make('tr', { onclick: () => select(index) }, cells, { 'aria-selected': String(index === selected) });
  made.dataset.pair = String(index);
  return made;
}

/** The pairs of the table, in display order. */
let listed: number[] = [];
let order = data.pairs.map((_, index) => index);
let sorted: { column: number; down: boolean } | null = null;

/** Sorts by a column: ascending, then descending, then the order of the report. */
function sortBy(column: number): void {
  if (sorted?.column !== column) sorted = { column, down: false };
  else sorted = sorted.down ? null : { column, down: true };
  order = data.pairs.map((_, index) => index);
  if (sorted) {
    const { key } = columns[column]!;
    const keys = data.pairs.map(key);
    const sign = sorted.down ? -1 : 1;
    order.sort((i, j) => sign * (keys[i]! < keys[j]! ? -1 : keys[i]! > keys[j]! ? 1 : 0) || i - j);
  }
  filter();
  headings.forEach((heading, number) => {
    const of = sorted?.column === number ? (sorted.down ? 'descending' : 'ascending') : 'none';
    heading.setAttribute('aria-sort', of);
  });
}

const headings = columns.map((column, number) => {
  const button = make('button', { textContent: column.title, onclick: () => sortBy(number) });
  return make('th', { className: column.number ? 'number' : '' }, [button], { 'aria-sort': 'none', scope: 'col' });
});

function filter(): void {
  const wanted = element<HTMLInputElement>('search').value.toLowerCase();
  const named = data.bodies.map((body) => body.name.toLowerCase().includes(wanted));
  listed = order.filter((index) => {
    const { relation, a, b } = data.pairs[index]!;
    return shown.has(relation) && (named[a] || named[b]);
  });
  rows.set(listed.length, (k) => rowOf(listed[k]!));
  element('none').hidden = listed.length > 0 || data.pairs.length === 0;
  mark();
}

function fill(): void {
  document.title = `${data.outcome} – noli`;
  element('outcome').textContent = data.outcome;
  element('title').textContent = element('title').title = data.title;
  element('summary').textContent = data.summary;
  element('common').hidden = common === '';
  element('common').textContent = `All names begin with ${common}`;
  element('notes').append(...data.notes.map((note) => make('li', { textContent: note })));
  element('head').append(...headings);
  document.querySelector('table')!.setAttribute('aria-rowcount', String(data.pairs.length));
  // Without pairs there is nothing to search: a removal path or a program without contact.
  element('search').hidden = document.querySelector('table')!.hidden = data.pairs.length === 0;
  for (const relation of RELATIONS) {
    const count = data.pairs.filter((pair) => pair.relation === relation).length;
    if (count === 0) continue;
    const button = make('button', {}, [dot(relation), `${count} ${relation}`], { 'aria-pressed': String(shown.has(relation)) });
    button.onclick = () => {
      if (!shown.delete(relation)) shown.add(relation);
      button.setAttribute('aria-pressed', String(shown.has(relation)));
      filter();
    };
    element('filters').append(button);
  }
}

/* Selection of a pair. */

function select(index: number | null): void {
  const rowOfPair = (pair: number | null) => (pair === null ? undefined : rows.at(listed.indexOf(pair)));
  rowOfPair(selected)?.setAttribute('aria-selected', 'false');
  selected = index;
  document.body.dataset.selected = String(index ?? '');
  element('card').hidden = index === null;
  const place = address(index === null ? '' : `pair=${index}`);
  history.replaceState(null, '', location.pathname + location.search + (place && `#${place}`));
  if (index !== null) {
    if (listed.includes(index)) rows.show(listed.indexOf(index));
    rowOfPair(index)?.setAttribute('aria-selected', 'true');
    describe(data.pairs[index]!);
  }
  look();
}

function describe(pair: Pair): void {
  const swatch = (colour: string) => {
    const made = make('span', { className: 'swatch' });
    made.style.background = colour;
    return made;
  };
  const facts: [string, (Node | string)[]][] = [
    ['A', [swatch(COLOURS.first), withoutCommon(nameOf(pair.a))]],
    ['B', [swatch(COLOURS.second), withoutCommon(nameOf(pair.b))]],
  ];
  if (pair.seconds !== undefined) facts.push(['Time', [`${pair.seconds.toFixed(4)} s`]]);
  if (pair.clash) {
    const { kind, depth, interference, volume, status, group } = pair.clash;
    facts.push(['Kind', [kind]]);
    if (depth) facts.push(['Penetration depth', [`${depth}${ofUnit}`, pair.clash.arrow ? '; the arrow shows the separating direction' : '']]);
    if (interference) facts.push(['Interference', [`${interference}${ofUnit}`]]);
    if (volume) facts.push(['Shared volume', [`${volume}${ofUnit}${ofUnit && '³'}`]]);
    facts.push(['Status', [status]]);
    if (group) facts.push(['Group', [withoutCommon(group)]]);
  }
  if (pair.intersections) facts.push(['Intersecting faces', [`${pair.intersections} pairs`]]);
  if (pair.clearance && !collides(pair)) facts.push(['Clearance', [`${pair.clearance}${ofUnit}`]]);
  facts.push(['Contact point', [pair.place_text || 'unknown']], ['Guarantee', [pair.guarantee]]);
  element('says').textContent = withoutCommon(pair.says);
  element('facts').replaceChildren(...facts.flatMap(([term, text]) => [make('dt', { textContent: term }), make('dd', {}, text)]));
}

function step(by: number): void {
  if (listed.length === 0) return;
  const at = selected === null ? -1 : listed.indexOf(selected);
  select(listed[at < 0 ? 0 : Math.min(Math.max(at + by, 0), listed.length - 1)]!);
}

/* The view. */

function shapeOf(shape: Data['shapes'][number]): Shape {
  const whole = decode(shape.vertices, Uint16Array);
  const positions = new Float32Array(whole.length);
  for (let i = 0; i < whole.length; i++) positions[i] = (whole[i]! / 65535 - 0.5) * shape.size[i % 3]!;
  return { positions, triangles: decode(shape.triangles, Uint32Array) };
}

const measuring = () => element('measure').getAttribute('aria-pressed') === 'true';

let marked: number[] = [];

function mark(): void {
  const fits = (index: number) => data.pairs[index]!.hit && data.pairs[index]!.place && (selected === null || selected === index);
  marked = listed.filter(fits);
  const colours = new Map(RELATIONS.map((relation) => [relation, colourOf(relation)]));
  view?.setMarks(marked.map((index) => ({ at: data.pairs[index]!.place!, colour: colours.get(data.pairs[index]!.relation)! })));
}

function look(): void {
  mark();
  if (!view) return;
  const pair = selected === null ? null : data.pairs[selected]!;
  const looks = new Map<number, Look>();
  if (pair) {
    if (pair.time !== undefined) timeline?.go(pair.time);
    looks.set(pair.a, pair.outer === pair.a ? 'glass' : 'first');
    looks.set(pair.b, pair.outer === pair.b ? 'glass' : 'second');
  }
  view.setLooks(looks, !pair ? 'plain' : element<HTMLInputElement>('others').checked ? 'ghost' : 'hidden');
  const ends = pair ? decode(pair.segments, Float32Array) : new Float32Array();
  if (!data.play?.contact_points) view.setSegments(ends);
  view.setClearance(pair?.line ?? null, pair?.line ? `${pair.clearance}${ofUnit}` : '');
  const path = pair?.clash?.arrow;
  view.setArrows(path ? [{ from: path[0], to: path[1], colour: COLOURS.clearance }] : []);
  if (pair) view.lookAtPair([pair.a, pair.b], pair.place, ends, pair.outer ?? null);
}

/* Distance of two points on the drawn surfaces. */

let first: Vec3 | null = null;

function measure(event: PointerEvent): void {
  const point = view?.pointAt(event);
  if (!view || !point) return;
  if (!first) {
    first = point;
    view.setClearance([point, point], 'click the second point');
    return;
  }
  const length = Math.hypot(...point.map((x, k) => x - first![k]!)) / data.scale;
  view.setClearance([first, point], `${Number(length.toPrecision(5))}${ofUnit}`);
  first = null;
}

function pick(found: { mark: number } | { body: number } | null, event: PointerEvent): void {
  if (measuring()) return measure(event);
  if (!found) return;
  if ('mark' in found) return select(marked[found.mark]!);
  const of = listed.find((index) => data.pairs[index]!.a === found.body || data.pairs[index]!.b === found.body);
  if (of !== undefined) select(of);
}

function play(): void {
  if (!view || !data.play) return;
  const { seconds, times, bodies, poses, curves } = data.play;
  const events = data.pairs.filter((pair) => pair.time !== undefined).map((pair) => ({
    time: pair.time!, text: pair.says, colour: colourOf(pair.relation),
  }));
  timeline = new Timeline(view, { seconds, times, bodies, poses: decode(poses, Float32Array), events, curves });
  element('bottom').append(timeline.root);
  const points = decode(data.play.contact_points, Float32Array);
  if (points.length > 0) {
    const drawn = view;
    timeline.onTime = (time) => showContacts(drawn, time, points);
    showContacts(drawn, 0, points);
  }
}

/** Contact points at a time, as dots. */
function showContacts(drawn: Viewer, time: number, points: Float32Array): void {
  const { contacts } = data.play!;
  const now = contacts.findLastIndex(([known]) => known <= time + 1e-9);
  const before = contacts.slice(0, Math.max(now, 0)).reduce((sum, [, count]) => sum + count, 0);
  const mine = points.subarray(3 * before, 3 * (before + (contacts[now]?.[1] ?? 0)));
  contactsShown = mine.length / 3;
  // A segment of no length is drawn as a dot.
  const ends = new Float32Array(2 * mine.length);
  for (let k = 0; k < contactsShown; k++) for (let i = 0; i < 6; i++) ends[6 * k + i] = mine[3 * k + (i % 3)]!;
  drawn.setSegments(ends);
}

let contactsShown = 0;

/** Steps of the program; a click goes to the time of one. */
function fillSteps(): void {
  const steps = data.play?.steps ?? [];
  element('steps').hidden = steps.length === 0;
  const row = ({ time, label, text, note, hit }: Step) =>
    make('tr', { className: hit ? 'hit' : '', onclick: () => timeline?.go(time) }, [
      make('td', { className: 'number', textContent: label }), make('td', { textContent: text, title: text }), make('td', { textContent: note, title: note }),
    ]);
  element('steps').append(make('table', {}, [make('tbody', {}, steps.map(row))]));
}

/** Links to the other chapters of the page. */
function fillChapters(): void {
  const nav = element('chapters');
  nav.hidden = chapters.length < 2;
  nav.append(...chapters.map((one, number) => make('a', { href: `#chapter=${number}`, textContent: one.dataset.name ?? '' }, [], number === chapter ? { 'aria-current': 'page' } : {})));
  // Chapters share nothing but the page: another one is the page anew.
  addEventListener('hashchange', (event) => {
    const of = (url: string) => /#chapter=(\d+)/.exec(url)?.[1] ?? '0';
    if (of(event.newURL) !== of(event.oldURL)) location.reload();
  });
}

fill();
fillSteps();
fillChapters();
try {
  view = new Viewer(element<HTMLCanvasElement>('view'));
  const bodies: Body[] = data.bodies.map((body) => ({ ...body }));
  view.setBodies(data.shapes.map(shapeOf), bodies);
  view.setUp(data.up);
  view.onPick = pick;
  play();
} catch (error) {
  element('hint').textContent = `3D is not available in this browser (${(error as Error).message}). The table works without it.`;
  element('tools').hidden = true;
}
const choose = followTheme((wanted) => {
  view?.setTheme(wanted);
  mark();
});
filter();

element('search').addEventListener('input', filter);
element('others').addEventListener('change', look);
element('measure').addEventListener('click', () => {
  element('measure').setAttribute('aria-pressed', String(!measuring()));
  first = null;
  view?.setClearance(null);
});
const cut = () => {
  const axis = element<HTMLSelectElement>('section').value;
  element('share').hidden = axis === '';
  view?.setSection((axis || null) as Axis | null, Number(element<HTMLInputElement>('share').value) / 1000);
};
element('section').addEventListener('change', cut);
element('share').addEventListener('input', cut);
element('link').addEventListener('click', async () => {
  await navigator.clipboard.writeText(location.href);
  element('link').textContent = 'Copied';
  setTimeout(() => (element('link').textContent = 'Copy link'), 1500);
});
element('close').addEventListener('click', () => select(null));
element('theme').addEventListener('click', () => choose(theme() === 'dark' ? 'light' : 'dark'));
element('up').textContent = `${data.up} up`;
element('up').addEventListener('click', () => {
  data.up = data.up === 'y' ? 'z' : 'y';
  element('up').textContent = `${data.up} up`;
  view?.setUp(data.up);
});
const whole = () => {
  select(null);
  view?.fit();
};
element('whole').addEventListener('click', whole);
document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  if (event.key === 'Escape') whole();
  if (event.key === ' ' && timeline && !(event.target instanceof HTMLButtonElement)) {
    event.preventDefault();
    timeline.toggle();
  }
  if (event.key === ',' || event.key === '.') timeline?.step(event.key === ',' ? -1 : 1);
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by) {
    event.preventDefault();
    step(by);
  }
});
const linked = /[#&]pair=(\d+)$/.exec(location.hash);
if (linked && data.pairs[Number(linked[1])]) select(Number(linked[1]));

/** For tests: the state of the page. */
Object.assign(window, { noli: { data, get view() { return view; }, get timeline() { return timeline; }, marks: () => marked.length, contacts: () => contactsShown, place: (pair: number): Vec3 | null => data.pairs[pair]!.place } });
