import { make, type Vec3 } from 'noli-viewer';
import { choice, field } from './parts';
import { quaternionOf } from './pose';
import type { Studio } from './studio';
import type { Part } from './types';

const number = (label: string, key: string, value = '') => make('input', { type: 'number', step: 'any', value }, [], { 'aria-label': label, 'data-stored': key });
const value = (part: Part, term: string) => part.values.find(([known]) => known === term)?.[1] ?? '';
/** The number of a field; `null` if it is empty. */
const typed = (input: HTMLInputElement) => (input.value.trim() === '' ? null : Number(input.value));

/** Density and mass of a component. */
function massFields(studio: Studio, part: Part): HTMLElement {
  const density = number('Density in kg/m³', 'density', value(part, 'density (kg/m3)'));
  const mass = number('Mass in kg', 'mass');
  mass.placeholder = value(part, 'mass (kg)') || 'density × volume';
  return make('fieldset', {}, [make('legend', { textContent: 'Mass' }), field('Density (kg/m³)', density), field('Mass (kg)', mass),
    make('div', { className: 'row' }, [make('button', { textContent: 'Set', onclick: () => studio.say({ do: 'stored_mass', name: part.name, density: typed(density), mass: typed(mass) }) }, [], { 'data-parts': 'mass' })])]);
}

/** Pairs of links of a manipulator. */
function pairFields(studio: Studio, part: Part): HTMLElement {
  const links = part.values.filter(([term]) => term.startsWith('part ')).map(([, text]) => text.slice(0, text.lastIndexOf(', ')));
  const [a, b] = [0, 1].map((k) => choice(links, links[k] ?? '', () => {}, k === 0 ? 'Link' : 'Other link'));
  const margin = number('Margin of the pair in mm', 'margin');
  const reason = make('input', { type: 'text', maxLength: 200, placeholder: 'reason for disabling' }, [], { 'aria-label': 'Reason for disabling the links', 'data-stored': 'reason' });
  const set = (on: boolean) => {
    const clearance = typed(margin);
    studio.say({ do: 'stored_pair', name: part.name, links: [a!.value, b!.value], on, margin: clearance === null ? null : clearance / 1000, reason: on ? '' : reason.value });
  };
  return make('fieldset', {}, [make('legend', { textContent: 'Pair of links' }), make('div', { className: 'row' }, [a!, b!]), field('Margin (mm)', margin), field('Reason', reason),
    make('div', { className: 'row' }, [
      make('button', { textContent: 'Check', onclick: () => set(true) }, [], { 'data-parts': 'check-pair' }),
      make('button', { textContent: 'Disable', onclick: () => set(false) }, [], { 'data-parts': 'disable-pair' }),
    ])]);
}

/** Fields for the properties of an entry that no file contains. */
export function editsOf(studio: Studio, part: Part): HTMLElement[] {
  if (part.kind === 'component') return [massFields(studio, part)];
  return part.kind === 'manipulator' ? [pairFields(studio, part)] : [];
}

/** Stores a tool: its frame on the flange and the mounted component. */
export function toolFields(studio: Studio): { root: HTMLElement; fill: () => void } {
  const name = make('input', { type: 'text', maxLength: 60, placeholder: 'name' }, [], { 'aria-label': 'Name of the tool' });
  const component = make('select', {}, [], { 'aria-label': 'Mounted component' });
  const [xyz, turn] = [false, true].map((turns) => ['x', 'y', 'z'].map((axis) => number(`${turns ? 'Rotation' : 'Position'} ${axis} of the tool`, `tool-${turns ? 'r' : ''}${axis}`, '0')));
  const store = () => studio.say({
    do: 'stored_tool', name: name.value, component: component.value || null,
    xyz: xyz!.map((input) => Number(input.value) / 1000), quaternion: quaternionOf(turn!.map((input) => Number(input.value)) as Vec3),
  });
  const root = make('fieldset', {}, [
    make('legend', { textContent: 'Tool' }), make('div', { className: 'row' }, [name, component]),
    make('div', { className: 'three' }, xyz!.map((input, k) => field(`${'xyz'[k]!} mm`, input))),
    make('div', { className: 'three' }, turn!.map((input, k) => field(`${'xyz'[k]!} °`, input))),
    make('div', { className: 'row' }, [make('button', { textContent: 'Store tool', title: 'In place of a tool of the same name', onclick: store }, [], { 'data-parts': 'tool' })]),
  ]);
  const fill = () => {
    const was = component.value;
    const components = (studio.stored?.entries ?? []).filter(({ kind }) => kind === 'component').map(({ name: known }) => known);
    component.replaceChildren(...['', ...components].map((known) => make('option', { value: known, textContent: known || 'a frame alone', selected: known === was })));
  };
  return { root, fill };
}
