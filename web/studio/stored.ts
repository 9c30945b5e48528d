import { make, short } from 'noli-viewer';
import { isEditable } from './cell';
import { dhTable, facts, heading, type Panel } from './parts';
import { editsOf, toolFields } from './stored_edits';
import type { Studio } from './studio';

const quoted = (text: string) => JSON.stringify(text);

/** The component database: search, properties, imports, composed manipulators. */
export function storedPanel(studio: Studio): Panel {
  const search = make('input', { type: 'search', placeholder: 'Find a part', className: 'search' }, [], { 'aria-label': 'Find a part' });
  const count = make('p', { className: 'soft' });
  const list = make('ul', { className: 'stored' }, [], { role: 'listbox', 'aria-label': 'Parts' });
  const card = make('section', { className: 'card', hidden: true }, [], { 'aria-live': 'polite' });
  const file = make('select', {}, [], { 'aria-label': 'File to import' });
  const take = make('button', { textContent: 'Import', onclick: () => file.value && studio.say({ do: 'import_part', file: file.value }) }, [], { 'data-parts': 'import' });
  const none = make('p', { className: 'soft', textContent: 'Drop a mesh, DXF or URDF file onto the page.' });
  const text = make('textarea', { className: 'formula', spellcheck: false, rows: 9 }, [], { 'aria-label': 'Composition' });
  const component = make('select', {}, [], { 'aria-label': 'Component' });
  const joint = make('select', {}, ['revolute', 'continuous', 'prismatic', 'fixed'].map((kind) => make('option', { value: kind, textContent: kind })), { 'aria-label': 'Joint' });
  const replace = make('input', { type: 'checkbox' });
  let chosen: string | null = null;
  const query = () => studio.say({ do: 'parts', search: search.value });
  search.oninput = query;
  const partNames = () => [...text.value.matchAll(/\[\[part\]\]\s*\nname = "([^"]*)"/g)].map((found) => found[1]!);
  /** Adds a part with a joint to the previous one. */
  const add = () => {
    if (!component.value) return studio.onNote('The database has no component.', 'Import a mesh file first.');
    const names = partNames();
    const base = component.value.split('/').at(-1)!;
    const same = names.filter((known) => known === base || known.startsWith(`${base}-`)).length;
    const name = same ? `${base}-${same + 1}` : base;
    const lines = names.length === 0 && !text.value.includes('name =') ? ['name = "arm"', 'units = "mm"', ''] : [];
    lines.push('[[part]]', `name = ${quoted(name)}`, `component = ${quoted(component.value)}`, '');
    if (names.length > 0) {
      lines.push('[[joint]]', `name = ${quoted(`joint${names.length}`)}`, `kind = "${joint.value}"`, `fixed = ${quoted(names.at(-1)!)}`, `moving = ${quoted(name)}`, 'pose = { xyz = [0, 0, 100] }');
      if (joint.value !== 'fixed') lines.push('axis = [0, 0, 1]');
      if (joint.value === 'revolute') lines.push('range_deg = [-180, 180]');
      if (joint.value === 'prismatic') lines.push('range = [0, 100]');
      lines.push('');
    }
    text.value += `${lines.join('\n')}\n`;
  };
  const tool = toolFields(studio);
  const root = make('div', { className: 'pane' }, [
    heading('Parts'), search, count, list, card,
    make('fieldset', {}, [make('legend', { textContent: 'Import a file of the folder' }), make('div', { className: 'row' }, [file, take]), none]),
    tool.root,
    make('fieldset', {}, [
      make('legend', { textContent: 'Compose a manipulator' }),
      make('div', { className: 'row' }, [component, joint, make('button', { textContent: 'Add part', onclick: add }, [], { 'data-parts': 'add' })]),
      text,
      make('label', { className: 'radio' }, [replace, 'replace an entry of the same name']),
      make('div', { className: 'row' }, [make('button', { className: 'do', textContent: 'Compose', onclick: () => studio.say({ do: 'compose', text: text.value, replace: replace.checked }) }, [], { 'data-parts': 'compose' })]),
    ]),
  ]);
  const fill = () => {
    const { stored } = studio;
    if (!stored) return;
    count.textContent = stored.entries.length < stored.total ? `${stored.entries.length} of ${stored.total}` : '';
    list.replaceChildren(...stored.entries.map(({ kind, name, about }) => make('li', { className: chosen === name ? 'chosen' : '' }, [
      make('button', {
        className: 'pick', title: about,
        onclick: () => {
          chosen = name;
          studio.say({ do: 'part', name });
        },
      }, [make('strong', { textContent: name }), make('span', { className: 'soft', textContent: `${kind}${about ? `, ${about}` : ''}` })], { 'data-part': name }),
    ], { role: 'option', 'aria-selected': String(chosen === name) })));
    if (stored.entries.length === 0) list.append(make('li', { className: 'empty', textContent: stored.total ? 'No entry matches.' : 'The database is empty: import a file below.' }));
    const fileWas = file.value;
    file.replaceChildren(...stored.files.map((name) => make('option', { value: name, textContent: name, selected: name === fileWas })));
    [file.hidden, take.hidden, none.hidden] = [stored.files.length === 0, stored.files.length === 0, stored.files.length > 0];
    const componentWas = component.value;
    const components = stored.entries.filter(({ kind }) => kind === 'component');
    tool.fill();
    component.replaceChildren(...components.map(({ name }) => make('option', { value: name, textContent: name, selected: name === componentWas })));
  };
  const describe = () => {
    const { part } = studio;
    card.hidden = !part;
    if (!part) return;
    const isUsable = part.kind === 'component' || (part.kind === 'manipulator' && isEditable(studio));
    const isClosed = (studio.hello?.is_database ?? true) || (studio.robot !== null && !isEditable(studio));
    card.replaceChildren(
      make('p', { className: 'says', textContent: part.name }),
      make('p', { className: 'soft', textContent: part.kind }),
      make('dl', {}, facts(part.values.map(([term, text]) => [term, text.replace(/-?\d+\.\d{5,}(e-?\d+)?/g, (number) => short(Number(number), 5))]))),
      ...editsOf(studio, part),
      ...(part.dh ? [make('h3', { textContent: 'DH parameters' }), dhTable(part.dh)] : []),
      ...(isUsable && !isClosed ? [make('div', { className: 'row' }, [make('button', { textContent: studio.robot ? 'Add to the cell' : 'Add to the scene', onclick: () => studio.say({ do: 'use_part', name: part.name }) }, [], { 'data-parts': 'use' })])] : []),
    );
  };
  return {
    root,
    update: (what) => {
      if (!studio.hello?.database) return;
      if (what === 'hello' || what === 'open') query();
      if (what === 'stored') fill();
      if (what === 'part') {
        chosen = studio.part?.name ?? null;
        fill();
        describe();
      }
    },
  };
}
