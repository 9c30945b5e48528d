import { Rows, make, type Quat, type Vec3 } from 'noli-viewer';
import { choice, field } from './parts';
import { anglesOf, quaternionOf } from './pose';
import type { Studio } from './studio';

/** A pair of a cell; with a reason if it is disabled. */
interface CellPair {
  a: string;
  b: string;
  reason: string | null;
}

/** Returns `true` if the cell can be changed here: bundled ones cannot. */
export function isEditable(studio: Studio): boolean {
  return (studio.robot?.robots.length ?? 0) > 0;
}

/** All pairs of the cell, disabled ones first. Two parts that stand still have no pair. */
function pairsOf(studio: Studio): CellPair[] {
  const { parts, off } = studio.robot!;
  const disabled = off.map(([a, b, reason]): CellPair => ({ a, b, reason }));
  const known = new Set(off.flatMap(([a, b]) => [`${a}\n${b}`, `${b}\n${a}`]));
  const checked = parts.flatMap(([a, isStill], k) => parts.slice(k + 1)
    .filter(([b, isOtherStill]) => !(isStill && isOtherStill) && !known.has(`${a}\n${b}`))
    .map(([b]): CellPair => ({ a, b, reason: null })));
  return [...disabled, ...checked];
}

/** The allowed collision matrix of a cell as a list, with search, reasons and the margin. */
export function cellPairs(studio: Studio): { root: HTMLElement; fill: () => void } {
  const count = make('p', { className: 'soft' }, [], { 'data-acm': 'count' });
  const search = make('input', { type: 'search', className: 'search', placeholder: 'Find pairs by names', oninput: () => list() }, [], { 'aria-label': 'Find pairs' });
  const only = choice(['all pairs', 'disabled', 'checked'], 'all pairs', () => list(), 'Pairs to list');
  const reason = make('input', { type: 'text', maxLength: 200, placeholder: 'e.g. by design' }, [], { 'aria-label': 'Reason for disabling' });
  const margin = make('input', { type: 'number', min: '0', step: 'any', onchange: () => studio.say({ do: 'margin', value: Number(margin.value) / 1000 }) }, [], { 'aria-label': 'Margin' });
  const rowsOf = make('ul', { className: 'acm' }, [], { role: 'list', 'aria-label': 'Pairs of the cell', tabindex: '0' });
  const rows = new Rows(rowsOf);
  const editing = make('div', {}, [field('Margin (mm)', margin), field('Reason', reason)]);
  const root = make('div', { className: 'acm-pane' }, [editing, search, make('div', { className: 'filters' }, [only]), count, rowsOf]);
  let pairs: CellPair[] = [];
  const row = ({ a, b, reason: why }: CellPair) => {
    const isOff = why !== null;
    const label = `${a} – ${b}: ${isOff ? `disabled, ${why}` : 'checked'}`;
    const toggle = make('button', {
      textContent: isOff ? 'disabled' : 'checked', title: isOff ? 'Check this pair' : 'Disable this pair', disabled: !isEditable(studio),
      onclick: () => studio.say({ do: 'cell_pair', a, b, on: isOff, reason: reason.value }),
    }, [], { 'aria-label': label, 'aria-pressed': String(!isOff), 'data-acm-pair': `${a}|${b}` });
    return make('li', { className: isOff ? 'off' : '', title: why ?? '' }, [toggle, make('span', { className: 'names' }, [make('span', { textContent: a }), make('span', { textContent: b })]), make('span', { className: 'soft why', textContent: why ?? '' })]);
  };
  const list = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const fits = ({ a, b, reason: why }: CellPair) => (only.value === 'all pairs' || (only.value === 'disabled') === (why !== null))
      && words.every((word) => `${a}\n${b}`.toLowerCase().includes(word));
    const shown = pairs.filter(fits);
    const off = pairs.filter((pair) => pair.reason !== null).length;
    count.textContent = `${pairs.length - off} pairs are checked in every configuration, ${off} are disabled; ${shown.length} listed`;
    rows.set(shown.length, (index) => row(shown[index]!));
  };
  return {
    root,
    fill: () => {
      pairs = pairsOf(studio);
      editing.hidden = !isEditable(studio);
      if (document.activeElement !== margin) margin.value = String(Number((studio.robot!.margin * 1000).toFixed(6)));
      list();
    },
  };
}

/** The robots of a cell: bases by number, further robots, removal. */
export function robotEntries(studio: Studio): HTMLElement {
  const { robots, descriptions } = studio.robot!;
  const entry = ({ name, xyz, quaternion }: { name: string; xyz: Vec3; quaternion: Quat }, robot: number) => {
    const values = [...xyz.map((x) => x * 1000), ...anglesOf(quaternion)].map((value) => Number(value.toFixed(6)));
    const apply = () => {
      const typed = inputs.map((input) => Number(input.value));
      if (typed.some((value) => !Number.isFinite(value))) return studio.onNote('Invalid pose.', 'Enter a number in every field.');
      // A rotation that was not typed stays as it is, to the last bit.
      const turned = typed.slice(3).some((value, k) => value !== values[k + 3]);
      studio.say({ do: 'place_robot', robot, xyz: typed.slice(0, 3).map((x, k) => (x === values[k] ? xyz[k]! : x / 1000)), quaternion: turned ? quaternionOf(typed.slice(3) as Vec3) : quaternion });
    };
    const inputs = values.map((value, k) => make('input', { type: 'number', step: 'any', value: String(value), onchange: apply }, [], { 'aria-label': `${k < 3 ? 'Base' : 'Rotation of the base'} ${'xyz'[k % 3]!} of ${name}`, 'data-base': `${robot}${k < 3 ? '' : 'r'}${'xyz'[k % 3]!}` }));
    return make('div', { className: 'robot-entry' }, [
      make('div', { className: 'row' }, [make('strong', { textContent: name }), make('span', { className: 'soft', textContent: robot === 0 ? 'driven by the program' : 'stands still' }),
        ...(robots.length > 1 ? [make('button', { textContent: '×', title: `Remove ${name}`, onclick: () => studio.say({ do: 'remove_robot', robot }) }, [], { 'aria-label': `Remove ${name}`, 'data-remove-robot': String(robot) })] : [])]),
      make('div', { className: 'three' }, inputs.slice(0, 3).map((input, k) => field(`${'xyz'[k]!} mm`, input))),
      make('div', { className: 'three' }, inputs.slice(3).map((input, k) => field(`${'xyz'[k]!} °`, input))),
    ]);
  };
  const description = choice(descriptions, descriptions[0] ?? '', () => {}, 'Robot to add');
  return make('fieldset', {}, [make('legend', { textContent: 'Robots of the cell' }), ...robots.map(entry),
    ...(descriptions.length > 0 ? [make('div', { className: 'row' }, [description, make('button', { textContent: 'Add robot', onclick: () => studio.say({ do: 'add_robot', description: description.value }) }, [], { 'data-run': 'add-robot' })])] : []),
  ]);
}
