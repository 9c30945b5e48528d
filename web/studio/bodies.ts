import { Rows, commonBeginning, draw, make, nameElement } from 'noli-viewer';
import { isEditable } from './cell';
import { groupButtons, groupForm, renameInput } from './groups';
import { choice, field, heading, type Panel } from './parts';
import type { Studio } from './studio';

/** A row of the list: a body, or the heading of a family or of a group made by hand. */
type Item = { body: number; above: string } | { family: string; members: number[]; isClosed: boolean; isGroup: boolean };

export function bodiesPanel(studio: Studio): Panel & { group: () => void } {
  const search = make('input', { type: 'search', placeholder: 'Find a body', className: 'search' }, [], { 'aria-label': 'Find a body' });
  const list = make('ul', { className: 'bodies' }, [], { role: 'tree', 'aria-label': 'Bodies', tabindex: '0' });
  const none = make('p', { className: 'empty', hidden: true });
  const size = () => Number((100 / (studio.hello?.scale ?? 1) / 10).toPrecision(1));
  const files = make('div', { className: 'files' }, [], { role: 'group', 'aria-label': 'Files of the folder' });
  const units = field('Unit of the file', choice(['mm', 'cm', 'm', 'in'], studio.fileUnits, (unit) => (studio.fileUnits = unit), 'Unit of the file'));
  const add = make('details', { className: 'menu up' }, [
    make('summary', { textContent: 'Add' }),
    make('div', {}, [
      make('button', { textContent: 'Box', onclick: () => studio.say({ do: 'add', shape: { kind: 'box', size: [size(), size(), size()] } }) }),
      make('button', { textContent: 'Sphere', onclick: () => studio.say({ do: 'add', shape: { kind: 'sphere', radius: size() / 2 } }) }),
      make('button', { textContent: 'Cylinder', onclick: () => studio.say({ do: 'add', shape: { kind: 'cylinder', radius: size() / 2, height: size() } }) }),
      files,
    ]),
  ]);
  const drop = make('span', { className: 'soft' });
  const form = groupForm(studio);
  const foot = make('div', { className: 'foot' }, [add, form.root, drop]);
  // The menu closes after a click or when it loses the focus.
  add.addEventListener('click', (event) => event.target instanceof HTMLButtonElement && (add.open = false));
  add.addEventListener('focusout', (event) => !add.contains(event.relatedTarget as Node | null) && (add.open = false));
  const root = make('div', { className: 'pane' }, [heading('Bodies'), search, list, none, foot]);
  const rows = new Rows(list);
  const closed = new Set<string>();
  /** Groups whose bodies are listed: they are in their families, too. */
  const opened = new Set<string>();
  let renaming: string | null = null;
  let items: Item[] = [];
  /** The row with the keyboard cursor. */
  let active = 0;
  let common = '';

  const eye = (hidden: boolean, label: string, toggle: () => void) => make('button', {
    className: 'eye', textContent: hidden ? '○' : '●', title: 'Show or hide', tabIndex: -1, onclick: toggle,
  }, [], { 'aria-label': label, 'aria-pressed': String(!hidden) });
  const hideAll = (members: number[]) => {
    const hidden = members.every((number) => studio.hidden.has(number));
    studio.hideAll(members, !hidden);
  };
  const open = (family: string, isGroup: boolean) => {
    const kept = isGroup ? opened : closed;
    if (!kept.delete(family)) kept.add(family);
    fill();
  };
  const rename = (group: string) => {
    renaming = group;
    fill();
    list.querySelector<HTMLInputElement>('[data-group-name]')?.select();
  };
  const renamed = () => {
    const hadFocus = list.contains(document.activeElement) || document.activeElement === document.body;
    renaming = null;
    fill();
    if (hadFocus) list.focus({ preventScroll: true });
  };
  const row = (index: number) => {
    const item = items[index]!;
    const made = make('li', { id: `body-row-${index}` }, [], { role: 'treeitem' });
    if ('family' in item) {
      const { family, members, isClosed, isGroup } = item;
      const hidden = members.every((number) => studio.hidden.has(number));
      made.className = isGroup ? 'family by-hand' : 'family';
      if (isGroup && renaming === family) {
        made.append(renameInput(studio, family, renamed));
        return made;
      }
      made.setAttribute('aria-expanded', String(!isClosed));
      made.append(
        make('button', {
          className: 'pick', tabIndex: -1, title: `${family}: click to fold, Shift-click to select all`,
          onclick: (event) => (event.shiftKey || event.ctrlKey || event.metaKey ? studio.chooseAlso(members) : open(family, isGroup)),
        }, [`${isClosed ? '▸' : '▾'} ${isGroup ? '⊞ ' : ''}${family} `, make('span', { className: 'soft', textContent: String(members.length) })]),
        make('button', { className: 'eye', textContent: '⬚', title: `Select all of ${family}`, tabIndex: -1, onclick: () => {
          studio.choose(null);
          studio.chooseAlso(members);
        } }, [], { 'aria-label': `Select all of ${family}`, 'data-group': family }),
        ...(isGroup ? groupButtons(studio, family, () => rename(family)) : []),
        eye(hidden, `Show or hide all of ${family}`, () => hideAll(members)),
      );
      if (isGroup) made.dataset.byHand = family;
    } else {
      const { body, above } = item;
      const { name } = studio.bodies[body]!;
      const isChosen = studio.chosen === body || studio.also.has(body);
      made.classList.toggle('chosen', isChosen);
      made.setAttribute('aria-selected', String(isChosen));
      made.dataset.body = String(body);
      made.append(
        studio.locked.has(body) ? make('span', { className: 'lock', title: 'Locked in this tab' }, [draw('svg', { viewBox: '0 0 10 12', 'aria-hidden': 'true' }, [draw('path', { d: 'M2.5 5V3.5a2.5 2.5 0 0 1 5 0V5', fill: 'none', stroke: 'currentColor', 'stroke-width': '1.5' }), draw('rect', { x: '1', y: '5', width: '8', height: '6', rx: '1', fill: 'currentColor' })])], { role: 'img', 'aria-label': 'locked' }) : '',
        make('button', { className: 'pick', tabIndex: -1, onclick: (event) => (event.shiftKey || event.ctrlKey || event.metaKey ? studio.chooseAlso([body]) : studio.choose(body)), ondblclick: () => studio.viewer.lookAtBody(body) }, [nameElement(name, name.startsWith(above) ? above : common)]),
        eye(studio.hidden.has(body), `Show or hide ${name}`, () => studio.hide(body)),
      );
    }
    made.classList.toggle('active', index === active);
    return made;
  };
  const fill = () => {
    const wanted = search.value.toLowerCase();
    common = commonBeginning(studio.bodies.map((body) => body.name));
    const families = new Map<string, number[]>();
    studio.bodies.forEach(({ name, group, gone }, number) => {
      if (gone || !name.toLowerCase().includes(wanted)) return;
      const family = group ?? name.slice(common.length).split(/[./]/)[0]!;
      const members = families.get(family);
      if (members) members.push(number);
      else families.set(family, [number]);
    });
    const found = (body: number) => studio.bodies[body]!.name.toLowerCase().includes(wanted);
    const byHand = studio.groups.flatMap(({ name }): Item[] => {
      const members = studio.inGroup(name);
      if (wanted !== '' && !name.toLowerCase().includes(wanted) && !members.some(found)) return [];
      const isClosed = !opened.has(name);
      return [{ family: name, members, isClosed, isGroup: true }, ...(isClosed ? [] : members.map((body) => ({ body, above: common })))];
    });
    items = [...byHand, ...[...families].flatMap(([family, members]): Item[] => {
      const isAlone = members.length < 2 || families.size < 2;
      // The heading of a family is not repeated in its names.
      const bodies = members.map((body) => ({ body, above: isAlone ? common : `${common}${family}/` }));
      if (isAlone) return bodies;
      const isClosed = closed.has(family) && wanted === '';
      return [{ family, members, isClosed, isGroup: false }, ...(isClosed ? [] : bodies)];
    })];
    active = Math.min(active, Math.max(items.length - 1, 0));
    rows.set(items.length, row);
    list.hidden = !(none.hidden = items.length > 0);
    none.textContent = wanted ? 'No body matches.' : studio.hello?.is_database ? 'Select a part to display it.' : 'No bodies yet: add one below, or drop a mesh file onto the page.';
    point();
  };
  /** Marks the row with the keyboard cursor. */
  const point = () => {
    const made = rows.at(active);
    list.querySelector('.active')?.classList.remove('active');
    made?.classList.add('active');
    if (made) list.setAttribute('aria-activedescendant', made.id);
    else list.removeAttribute('aria-activedescendant');
  };
  const go = (index: number) => {
    active = Math.min(Math.max(index, 0), items.length - 1);
    rows.show(active);
    point();
  };
  list.addEventListener('keydown', (event) => {
    const item = items[active];
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(Math.floor(list.clientHeight / 26) - 1, 1);
    const isFamily = 'family' in item;
    const parent = () => items.findLastIndex((other, index) => index < active && 'family' in other && !isFamily && other.members.includes(item.body));
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      PageDown: () => go(active + page),
      PageUp: () => go(active - page),
      Home: () => go(0),
      End: () => go(items.length - 1),
      ArrowRight: () => (isFamily && item.isClosed ? open(item.family, item.isGroup) : go(active + 1)),
      ArrowLeft: () => (isFamily ? !item.isClosed && open(item.family, item.isGroup) : parent() >= 0 && go(parent())),
      Enter: () => (isFamily ? open(item.family, item.isGroup) : studio.choose(item.body)),
      ' ': () => (isFamily ? hideAll(item.members) : studio.hide(item.body)),
    };
    if (isFamily && item.isGroup) {
      keys.F2 = () => rename(item.family);
      keys.Delete = () => studio.say({ do: 'ungroup', name: item.family });
    }
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  search.oninput = fill;
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    list.focus();
  });
  return {
    root,
    group: form.open,
    update: (what) => {
      form.update();
      const isDatabase = studio.hello?.is_database ?? false;
      add.hidden = drop.hidden = studio.robot !== null && !isEditable(studio);
      units.hidden = studio.robot === null;
      add.hidden ||= isDatabase;
      drop.textContent = isDatabase ? 'Drop a mesh, DXF or URDF file' : studio.hello?.files ? 'or drop a mesh file' : '';
      if (what === 'hello') {
        const known = studio.hello?.files ?? [];
        files.hidden = known.length === 0;
        files.replaceChildren(make('p', { className: 'soft', textContent: 'Files of the folder' }), units, ...known.map((file) => make('button', { textContent: file, onclick: () => studio.addFile(file) }, [], { 'data-file': file })));
      }
      if (what === 'chosen' && studio.chosen !== null) {
        // A body of a closed family is not in the list.
        const index = items.findIndex((item) => 'body' in item && item.body === studio.chosen);
        if (index >= 0) active = index;
      }
      if (['hello', 'bodies', 'groups', 'chosen', 'shown', 'track'].includes(what) && renaming === null) fill();
      if (what === 'chosen' && studio.chosen !== null) rows.show(active);
    },
  };
}
