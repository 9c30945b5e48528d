import { make } from 'noli-viewer';
import type { Studio } from './studio';
import type { Bounds, PairView } from './types';
import { reading } from './values';

export const STATUS = ['new', 'active', 'reviewed', 'approved', 'resolved'];
/** The order of the list: the worst first. */
export const RELATIONS = ['duplicate', 'intersecting', 'undecided', 'inside', 'closer', 'touching', 'separated'];

/** What is known about a pair besides its relation. */
export interface Facts {
  status: (pair: PairView) => string;
  comment: (pair: PairView) => string;
  /** The group of the clash report. */
  group: (pair: PairView) => string;
}

export const isSeparated = (pair: PairView) => pair.relation === 'separated' || pair.relation === 'closer';

/** A column of the table of clashes. */
export interface Column {
  key: string;
  label: string;
  title: (unit: string) => string;
  text: (pair: PairView, studio: Studio, facts: Facts) => string;
}

/** The value by which pairs are sorted: the proven upper bound; unknown ones come last. */
const most = (bounds: Bounds | null | undefined) => (bounds ? bounds[1] ?? bounds[0] : -1);

export const COLUMNS: Column[] = [
  { key: 'depth', label: 'Depth', title: (unit) => `Penetration depth in ${unit}`, text: (pair, studio) => reading(studio.values.of(pair)?.depth ?? null) },
  { key: 'volume', label: 'Volume', title: (unit) => `Overlap volume in ${unit}³`, text: (pair, studio) => reading(studio.values.of(pair)?.volume ?? null) },
  { key: 'clearance', label: 'Clearance', title: (unit) => `Clearance in ${unit}`, text: (pair) => (isSeparated(pair) ? pair.clearance : '0') },
  { key: 'status', label: 'Status', title: () => 'Status of the review', text: (pair, _, facts) => facts.status(pair) },
  { key: 'comment', label: 'Comment', title: () => 'Comment of the review', text: (pair, _, facts) => facts.comment(pair) },
];

type Compare = (one: PairView, other: PairView) => number;

/** Orders of the list, by what engineers ask first. Those of depth and volume need values of all pairs. */
export const ORDERS: Record<string, (studio: Studio, facts: Facts) => Compare> = {
  'worst first': () => (one, other) => RELATIONS.indexOf(one.relation) - RELATIONS.indexOf(other.relation),
  'nearest first': () => (one, other) => (one.clearance_at_least ?? 0) - (other.clearance_at_least ?? 0),
  'most faces first': () => (one, other) => (other.intersections ?? 0) - (one.intersections ?? 0),
  'deepest first': (studio) => (one, other) => most(studio.values.of(other)?.depth) - most(studio.values.of(one)?.depth),
  'largest volume first': (studio) => (one, other) => most(studio.values.of(other)?.volume) - most(studio.values.of(one)?.volume),
  'by status': (_, facts) => (one, other) => STATUS.indexOf(facts.status(one)) - STATUS.indexOf(facts.status(other)),
  'by comment': (_, facts) => (one, other) => compareText(facts.comment(one), facts.comment(other)),
};
/** The order of each column, when its heading is pressed. */
export const ORDER_OF: Record<string, string> = { depth: 'deepest first', volume: 'largest volume first', clearance: 'nearest first', status: 'by status', comment: 'by comment' };

/** Texts in order, empty ones last. */
function compareText(one: string, other: string): number {
  if ((one === '') !== (other === '')) return one === '' ? 1 : -1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The decade of a value, with the number by which the groups are sorted. */
function decade(value: number, what: string, unit: string): [number, string] {
  if (value < 0) return [1e9, `${what} not measured`];
  if (value === 0) return [1e6, `no ${what}`];
  const power = Math.floor(Math.log10(value));
  const end = (k: number) => String(Number((10 ** k).toPrecision(1)));
  return [-power, `${what} ${end(power)} to ${end(power + 1)} ${unit}`];
}

/** Groups of pairs: a number by which the groups are sorted, and the heading. */
export const GROUPS: Record<string, ((pair: PairView, studio: Studio, facts: Facts) => [number | string, string]) | null> = {
  'no groups': null,
  'by body': (pair, _, facts) => [facts.group(pair), facts.group(pair) || 'separated'],
  'by relation': (pair) => [RELATIONS.indexOf(pair.relation), pair.relation],
  'by status': (pair, _, facts) => [STATUS.indexOf(facts.status(pair)), facts.status(pair)],
  'by comment': (pair, _, facts) => [facts.comment(pair) === '' ? '\uffff' : facts.comment(pair), facts.comment(pair) || 'no comment'],
  'by depth': (pair, studio) => decade(most(studio.values.of(pair)?.depth), 'depth', studio.hello?.unit ?? ''),
  'by volume': (pair, studio) => decade(most(studio.values.of(pair)?.volume), 'volume', `${studio.hello?.unit ?? ''}³`),
  'by clearance': (pair, studio) => (isSeparated(pair) ? decade(pair.clearance_at_least ?? 0, 'clearance', studio.hello?.unit ?? '') : [-1e9, 'no clearance']),
};

/** Returns `true` if an order or a group needs the values of all pairs. */
export const needsValues = (order: string, group: string) => ['deepest first', 'largest volume first'].includes(order) || ['by depth', 'by volume'].includes(group);

/** Cells of a row of the table. */
export function cells(pair: PairView, studio: Studio, facts: Facts): HTMLElement[] {
  return COLUMNS.map(({ key, text }) => {
    const known = text(pair, studio, facts);
    const isOpen = known === '' && ['depth', 'volume'].includes(key) && studio.values.applies(pair) && !studio.values.of(pair);
    return make('span', { className: `cell-${key}`, textContent: isOpen ? '…' : known, title: known }, [], { 'data-column': key });
  });
}
