import { make } from 'noli-viewer';
import type { Studio } from './studio';

/** Bodies of a group, by names; `null` if there is none. */
export type Grouped = (group: string) => Set<string> | null;

/** Returns `true` if a name matches one of several patterns, separated by commas; `*` stands for any text, and `@name` for a group. No pattern matches all. */
export function matches(patterns: string, name: string, grouped: Grouped = () => null): boolean {
  const each = patterns.split(',').map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
  if (each.length === 0) return true;
  return each.some((pattern) => pattern.startsWith('@') ? grouped(pattern.slice(1))?.has(name) ?? false : new RegExp(`^${pattern.split('*').map((text) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')}$`).test(name));
}

/** Inputs for a clash test of set A against set B: patterns of names, or the bodies that are selected. */
export function setInputs(studio: Studio, changed: () => void) {
  const made = (label: string) => {
    const input = make('input', { type: 'text', placeholder: 'all bodies', oninput: changed, title: 'Names of bodies separated by commas; * stands for any text, @name for a group' }, [], { 'aria-label': label, 'data-set': label.slice(-1) });
    input.setAttribute('list', 'set-groups');
    const take = make('button', {
      textContent: 'Selection', title: `Put the selected bodies into ${label.toLowerCase()}`,
      onclick: () => {
        input.value = studio.selected().map((body) => studio.nameOf(body)).join(', ');
        changed();
      },
    }, [], { 'aria-label': `Selection as ${label.toLowerCase()}` });
    return { input, root: make('label', { className: 'set' }, [label, input, take]) };
  };
  const [a, b] = [made('Set A'), made('Set B')];
  const names = make('datalist', { id: 'set-groups' });
  let known = new Map<string, Set<string>>();
  const grouped: Grouped = (group) => known.get(group) ?? null;
  const found = make('p', { className: 'soft' }, [], { 'aria-live': 'polite', 'data-set': 'count' });
  const isUsed = () => a.input.value.trim() !== '' || b.input.value.trim() !== '';
  const root = make('details', { className: 'sets' }, [make('summary', { textContent: 'Sets A × B' }), a.root, b.root, names, found]);
  return {
    root,
    /** Returns `true` if one name is in set A and the other in set B. */
    has: (one: string, other: string) => {
      const [x, y] = [a.input.value, b.input.value];
      return !isUsed() || (matches(x, one, grouped) && matches(y, other, grouped)) || (matches(x, other, grouped) && matches(y, one, grouped));
    },
    /** Takes over the groups made by hand. */
    update: () => {
      known = new Map(studio.groups.map(({ name }) => [name, new Set(studio.inGroup(name).map((body) => studio.nameOf(body)))]));
      names.replaceChildren(...studio.groups.map(({ name }) => make('option', { value: `@${name}` })));
    },
    count: (hits: number) => {
      found.textContent = isUsed() ? `${hits} ${hits === 1 ? 'clash' : 'clashes'} between set A and set B` : '';
    },
  };
}
