import { Rows, commonBeginning, decode, make, nameElement } from 'noli-viewer';
import { Pictures } from './pictures';
import { COLUMNS, GROUPS, ORDERS, ORDER_OF, RELATIONS, STATUS, cells, isSeparated, needsValues, type Facts } from './clash_columns';
import { widen } from './layout';
import { setInputs } from './sets';
import { choice, dot, facts, field, heading, type Panel } from './parts';
import type { Studio } from './studio';
import type { Bounds, PairView } from './types';

/** Above this number, touching pairs are not listed at first: most are designed contacts. */
const MANY_TOUCHING = 100;

/** Pairs whose values are asked for to sort or group the list, at most. */
const MOST_VALUES = 2000;
/** Width of the panel with the table of columns, in pixels. */
const TABLE_WIDTH = 660;

/** A row of the list: a pair, or the heading of a group. */
type Item = PairView | string;

export function clashesPanel(studio: Studio): Panel {
  const outcome = make('h3', { className: 'outcome' });
  const filters = make('div', { className: 'filters' }, [], { role: 'group', 'aria-label': 'Relations to show' });
  const list = make('ul', { className: 'results' }, [], { role: 'listbox', 'aria-label': 'Pairs', tabindex: '0' });
  const none = make('p', { className: 'empty', hidden: true });
  const card = make('section', { className: 'card', hidden: true }, [], { 'aria-live': 'polite' });
  const rows = new Rows(list);
  const grouping = choice(Object.keys(GROUPS), 'no groups', () => fill(), 'Groups of pairs');
  let isTable = false;
  const table = make('button', { textContent: 'Table', title: 'Columns for depth, volume, clearance, status and comment', onclick: () => showTable(!isTable) }, [], { 'aria-pressed': 'false', 'data-results': 'table' });
  const head = make('div', { className: 'clash-head', hidden: true }, [], { role: 'group', 'aria-label': 'Sort by' });
  const frame = make('div', { className: 'clash-frame' });
  const only = choice(['any status', ...STATUS], 'any status', () => fill(), 'Status to show');
  const order = choice(Object.keys(ORDERS), 'worst first', () => fill(), 'Order of the pairs');
  const open = make('span', { className: 'soft' }, [], { 'aria-live': 'polite', 'data-results': 'open' });
  const sets = setInputs(studio, () => fill());
  const pictures = new Pictures((pair) => studio.viewer.thumbnail([pair.a, pair.b], pair.place, decode(pair.segments, Float32Array)));
  const picture = make('button', {
    textContent: 'Pictures', title: 'Show a picture of each pair',
    onclick: () => {
      list.classList.toggle('pictured', (isPictured = !isPictured));
      picture.setAttribute('aria-pressed', String(isPictured));
      fill();
    },
  }, [], { 'aria-pressed': 'false', 'data-results': 'pictures' });
  let isPictured = false;
  const summary = make('p', { className: 'soft' });
  const shown = new Set(RELATIONS.filter((relation) => relation !== 'separated'));
  let isFirst = true;
  const previous = make('button', { textContent: '‹', title: 'Previous pair (Up)', onclick: () => step(-1) }, [], { 'aria-label': 'Previous pair', 'data-results': 'previous' });
  const next = make('button', { textContent: '›', title: 'Next pair (Down)', onclick: () => step(1) }, [], { 'aria-label': 'Next pair', 'data-results': 'next' });
  const root = make('div', { className: 'pane' }, [heading('Clashes'), outcome, filters, sets.root, make('div', { className: 'filters' }, [table, picture, only, order, grouping, previous, next, open]), frame, none, card, summary]);
  frame.append(head, list);
  const key = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  let statuses = new Map<string, [string, string]>();
  let groups = new Map<PairView, string>();
  let items: Item[] = [];
  let common = '';
  const statusOf = (pair: PairView) => statuses.get(key(pair.a, pair.b))?.[0] || undefined;
  const commentOf = (pair: PairView) => statuses.get(key(pair.a, pair.b))?.[1] ?? '';
  const is = (pair: PairView) => studio.pair !== null && studio.pair.a === pair.a && studio.pair.b === pair.b;
  const known: Facts = { status: (pair) => statusOf(pair) ?? 'new', comment: commentOf, group: (pair) => groups.get(pair) ?? '' };
  const measure = (pair: PairView) => make('span', {
    className: 'soft number',
    textContent: isSeparated(pair) ? pair.clearance : pair.intersections ? `${pair.intersections} faces` : '',
    title: isSeparated(pair) ? `Clearance in ${studio.hello?.unit || 'units of the files'}` : 'Pairs of intersecting faces',
  });
  const row = (index: number) => {
    const item = items[index]!;
    if (typeof item === 'string') return make('li', { className: 'family' }, [make('span', { textContent: item })], { role: 'presentation' });
    const word = statusOf(item);
    const [a, b] = [item.a, item.b].map((body) => nameElement(studio.nameOf(body), common));
    if (isTable) return tableRow(item, index);
    const status = word ? make('span', { className: 'status', textContent: word, title: commentOf(item) }) : '';
    const measured = measure(item);
    // Visible words, with the spaces between them, begin the accessible name (WCAG 2.5.3).
    const words = [a!.textContent, b!.textContent, word, measured.textContent].filter(Boolean).join(' ');
    const made = make('li', { id: `pair-row-${index}`, className: is(item) ? 'chosen' : '', onclick: () => studio.look(item) }, [
      isPictured ? pictures.place(item) : '', dot(item.relation), make('span', { className: 'names' }, [a!, ' ', b!]), ' ', status, ' ', measured,
    ], { role: 'option', 'aria-selected': String(is(item)), 'aria-label': `${words}: ${item.says}` });
    made.dataset.pair = `${studio.nameOf(item.a)}|${studio.nameOf(item.b)}`;
    return made;
  };
  const tableRow = (pair: PairView, index: number) => {
    studio.values.want(pair);
    const names = [pair.a, pair.b].map((body) => nameElement(studio.nameOf(body), common));
    const values = cells(pair, studio, known);
    const words = [...names, ...values].map((part) => part.textContent).filter(Boolean).join(' ');
    const made = make('li', { id: `pair-row-${index}`, className: is(pair) ? 'chosen' : '', onclick: () => studio.look(pair) }, [
      isPictured ? pictures.place(pair) : '', dot(pair.relation), make('span', { className: 'names' }, [names[0]!, ' ', names[1]!]), ' ', ...values.flatMap((value) => [value, ' ']),
    ], { role: 'option', 'aria-selected': String(is(pair)), 'aria-label': `${words}: ${pair.says}` });
    made.dataset.pair = `${studio.nameOf(pair.a)}|${studio.nameOf(pair.b)}`;
    return made;
  };
  const fillHead = () => {
    const unit = studio.hello?.unit || 'units of the files';
    head.replaceChildren(make('span', { className: 'names soft', textContent: 'Pair' }), ...COLUMNS.map(({ key, label, title }) => make('button', {
      textContent: order.value === ORDER_OF[key] ? `${label} ▾` : label, title: `${title(unit)}; press to sort`, className: `cell-${key}`,
      onclick: () => {
        order.value = order.value === ORDER_OF[key] ? 'worst first' : ORDER_OF[key]!;
        fill();
      },
    }, [], { 'aria-pressed': String(order.value === ORDER_OF[key]), 'data-sort': key })));
  };
  const showTable = (on: boolean) => {
    isTable = on;
    table.setAttribute('aria-pressed', String(on));
    for (const part of [frame, list]) part.classList.toggle('table', on);
    head.hidden = !on;
    widen('right', on ? TABLE_WIDTH : null);
    studio.values.withdraw();
    fill();
  };
  let late: number | undefined;
  /** Values come one by one: the list is drawn anew a few times a second. */
  const fillLater = () => {
    late ??= window.setTimeout(() => {
      late = undefined;
      if (root.isConnected) fill();
    }, studio.values.open() > 0 ? 300 : 0);
  };
  const fill = () => {
    const { results } = studio;
    // Fewer than two bodies have no pairs; that is no collision-free result.
    const few = studio.bodies.filter((body) => !body.gone).length < 2 && !studio.robot;
    outcome.textContent = few ? 'Nothing to compare' : results ? results.outcome : 'Comparing …';
    outcome.classList.toggle('stale', results?.stale ?? true);
    summary.textContent = results?.summary ?? '';
    common = commonBeginning(studio.bodies.map((body) => body.name));
    const asked = (results?.pairs ?? []).filter((pair) => sets.has(studio.nameOf(pair.a), studio.nameOf(pair.b)));
    const counts = new Map<string, number>();
    for (const { relation } of asked) counts.set(relation, (counts.get(relation) ?? 0) + 1);
    if (isFirst && results) {
      isFirst = false;
      if ((counts.get('touching') ?? 0) > MANY_TOUCHING && counts.size > 1) shown.delete('touching');
    }
    filters.replaceChildren(...RELATIONS.filter((relation) => counts.has(relation)).map((relation) => make('button', {
      onclick: () => {
        if (!shown.delete(relation)) shown.add(relation);
        fill();
      },
    }, [dot(relation), `${counts.get(relation)} ${relation}`], { 'aria-pressed': String(shown.has(relation)) })));
    statuses = new Map((results?.status ?? []).map(([a, b, word, comment]) => [key(a, b), [word, comment]]));
    groups = new Map((results?.pairs ?? []).map((pair, k) => [pair, results!.groups[k] ?? '']));
    const fits = (pair: PairView) => shown.has(pair.relation) && (only.value === 'any status' || (statusOf(pair) ?? 'new') === only.value);
    const fitting = asked.filter(fits);
    if (needsValues(order.value, grouping.value)) fitting.slice(0, MOST_VALUES).forEach((pair) => studio.values.want(pair));
    const pairs = fitting.sort(ORDERS[order.value]!(studio, known));
    sets.count(asked.filter((pair) => pair.hit).length);
    const heading = GROUPS[grouping.value];
    items = heading ? grouped(pairs.map((pair): [number | string, string, PairView] => [...heading(pair, studio, known), pair])) : pairs;
    if (isTable) fillHead();
    rows.set(items.length, row);
    const missing = studio.values.open();
    open.textContent = missing > 0 ? `${missing} ${missing === 1 ? 'pair' : 'pairs'} to measure` : '';
    frame.hidden = !(none.hidden = items.length > 0 || !results);
    none.textContent = few ? 'Add at least two bodies.' : results?.pairs.length === 0 ? 'All checked pairs are separated.' : 'No pair matches the filters.';
    describe();
    point();
  };
  /** The row of the selected pair. */
  const chosen = () => items.findIndex((item) => typeof item !== 'string' && is(item));
  const point = () => {
    const id = studio.pair ? rows.at(chosen())?.id : undefined;
    if (id) list.setAttribute('aria-activedescendant', id);
    else list.removeAttribute('aria-activedescendant');
  };
  /** The unit of a contact point, where its text has none. */
  const unitOf = (pair: PairView) => (/[a-z]$/.test(pair.place_text) || !studio.hello?.unit ? '' : ` ${studio.hello.unit}`);
  const describe = () => {
    const { pair } = studio;
    card.hidden = !pair;
    if (!pair) return;
    const status = statusOf(pair) ?? 'new';
    const entries: [string, string][] = [['Contact point', pair.place_text ? `${pair.place_text}${unitOf(pair)}` : 'unknown'], ['Guarantee', pair.guarantee]];
    if (studio.depth) entries.unshift(['Penetration depth', studio.depth]);
    if (studio.colliding !== null) entries.unshift(studio.collidingText);
    if (pair.intersections) entries.unshift(['Intersecting faces', `${pair.intersections} pairs`]);
    if (isSeparated(pair)) entries.unshift(['Clearance', `${pair.clearance} ${studio.hello?.unit ?? ''}`]);
    const exact = studio.values.exactOf(pair);
    const unit = studio.hello?.unit ?? '';
    if (exact) entries.push(['Depth, bracket', bracket(exact.depth, unit)], ['Volume, bracket', bracket(exact.volume, unit && `${unit}³`)]);
    const comment = make('input', {
      type: 'text', value: commentOf(pair), maxLength: 1000, placeholder: 'why it is accepted, who mends it',
      onchange: () => studio.say({ do: 'status', a: pair.a, b: pair.b, status: statusOf(pair) ?? 'new', comment: comment.value }),
    }, [], { 'aria-label': 'Comment' });
    card.replaceChildren(
      make('p', { className: 'says', textContent: pair.says }),
      make('dl', {}, facts(entries)),
      field('Status', choice(STATUS, status, (status) => studio.say({ do: 'status', a: pair.a, b: pair.b, status }), 'Status')),
      field('Comment', comment),
      make('div', { className: 'row' }, [
        studio.values.applies(pair) && !exact ? make('button', { textContent: 'Exact bracket', title: 'Compute narrow brackets of penetration depth and overlap volume', onclick: () => studio.values.wantExact(pair) }, [], { 'data-results': 'exact' }) : '',
        make('button', { textContent: `Select ${studio.nameOf(pair.a)}`, onclick: () => studio.choose(pair.a, pair.b) }),
        make('button', { textContent: `Select ${studio.nameOf(pair.b)}`, onclick: () => studio.choose(pair.b, pair.a) }),
      ]),
    );
  };
  const step = (by: number) => {
    const at = chosen();
    const isPair = (item: Item | undefined): item is PairView => item !== undefined && typeof item !== 'string';
    let next = at < 0 ? 0 : at + by;
    while (typeof items[next] === 'string') next += at < 0 ? 1 : by;
    const item = items[next];
    if (isPair(item)) studio.look(item);
  };
  root.addEventListener('keydown', (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && !(event.target instanceof HTMLSelectElement)) {
      event.preventDefault();
      step(by);
    }
  });
  return {
    root,
    update: (what) => {
      if (isTable && (what === 'open' || what === 'close')) widen('right', what === 'open' ? TABLE_WIDTH : null);
      if (['hello', 'groups', 'bodies'].includes(what)) sets.update();
      if (['hello', 'results'].includes(what)) pictures.forget();
      // Rows of a closed panel get no pictures.
      if (['hello', 'results', 'pair', 'chosen', 'bodies', 'groups', 'edits'].includes(what) || (what === 'open' && isPictured)) fill();
      if (what === 'depth' || what === 'values') describe();
      if (what === 'values' && (isTable || needsValues(order.value, grouping.value))) fillLater();
      // The details of a pair shorten the list.
      if ((what === 'pair' || what === 'depth') && chosen() >= 0) {
        rows.show(chosen());
        point();
      }
    },
  };
}

/** Pairs in their groups, each with a heading. */
function grouped(keyed: [number | string, string, PairView][]): Item[] {
  const compare = (one: number | string, other: number | string) => (one < other ? -1 : one > other ? 1 : 0);
  keyed.sort(([one], [other]) => compare(one, other));
  const count = new Map<string, number>();
  for (const [, title] of keyed) count.set(title, (count.get(title) ?? 0) + 1);
  return keyed.flatMap(([, title, pair], k): Item[] => (k === 0 || keyed[k - 1]![1] !== title ? [`${title} (${count.get(title)})`, pair] : [pair]));
}

/** Both bounds with all digits. */
function bracket(bounds: Bounds | null, unit: string): string {
  if (!bounds) return 'not measured for point clouds and grids';
  const [low, high] = bounds;
  return high === null ? `at least ${low} ${unit}` : `${low} .. ${high} ${unit}`;
}
