import { make } from 'noli-viewer';
import type { Studio } from './studio';

/** A form that makes a group of the selected bodies, in a menu below the list of bodies. */
export function groupForm(studio: Studio): { root: HTMLDetailsElement; open: () => void; update: () => void } {
  const name = make('input', { type: 'text', maxLength: 100, spellcheck: false }, [], { 'aria-label': 'Name of the group' });
  const names = make('datalist', { id: 'group-names' });
  name.setAttribute('list', 'group-names');
  const count = make('p', { className: 'soft' });
  const form = make('form', {
    onsubmit: (event) => {
      event.preventDefault();
      studio.say({ do: 'group', name: name.value, bodies: studio.selected() });
      root.open = false;
    },
  }, [name, make('button', { type: 'submit', textContent: 'Group' }, [], { 'data-group-make': 'submit' })]);
  const summary = make('summary', { textContent: 'Group', title: 'Make a group of the selected bodies (Ctrl G)' });
  const root = make('details', { className: 'menu up grouping' }, [summary, make('div', {}, [count, form, names])]);
  root.addEventListener('toggle', () => root.open && name.focus());
  root.addEventListener('focusout', (event) => !root.contains(event.relatedTarget as Node | null) && (root.open = false));
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    root.open = false;
    summary.focus();
  });
  /** A name that no group has. */
  const free = () => {
    const known = new Set(studio.groups.map((group) => group.name));
    for (let k = 1; ; k++) if (!known.has(`group ${k}`)) return `group ${k}`;
  };
  const update = () => {
    const selected = studio.selected().length;
    root.hidden = selected === 0 || (studio.hello?.is_database ?? true);
    if (!root.open) name.value = free();
    count.textContent = `${selected} selected ${selected === 1 ? 'body' : 'bodies'}`;
    names.replaceChildren(...studio.groups.map((group) => make('option', { value: group.name })));
  };
  return {
    root, update,
    open: () => {
      update();
      if (root.hidden) return studio.onNote('No body is selected.', 'Select bodies first: Shift-click adds one.');
      root.open = true;
      name.focus();
      name.select();
    },
  };
}

/** Buttons of the heading of a group: rename it in place, and dissolve it. */
export function groupButtons(studio: Studio, name: string, rename: () => void): HTMLElement[] {
  return [
    make('button', { className: 'eye', textContent: '✎', title: `Rename the group ${name} (F2)`, tabIndex: -1, onclick: rename }, [], { 'aria-label': `Rename the group ${name}`, 'data-group-rename': name }),
    make('button', { className: 'eye', textContent: '×', title: `Dissolve the group ${name}; its bodies stay (Delete)`, tabIndex: -1, onclick: () => studio.say({ do: 'ungroup', name }) }, [], { 'aria-label': `Dissolve the group ${name}`, 'data-ungroup': name }),
  ];
}

/** An input in place of the name of a group. Enter renames it, Esc leaves it as it is. */
export function renameInput(studio: Studio, name: string, done: () => void): HTMLInputElement {
  const input = make('input', { type: 'text', value: name, maxLength: 100, spellcheck: false }, [], { 'aria-label': `New name of the group ${name}`, 'data-group-name': name });
  let isDone = false;
  const end = (isKept: boolean) => {
    if (isDone) return;
    isDone = true;
    const to = input.value.trim();
    if (isKept && to !== '' && to !== name) studio.say({ do: 'rename_group', name, to });
    done();
  };
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Enter' || event.key === 'Escape') {
      event.preventDefault();
      end(event.key === 'Enter');
    }
  });
  input.addEventListener('blur', () => end(true));
  return input;
}
