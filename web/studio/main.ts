import { VIEWS, element, followTheme, make, theme, type Axis, type Vec3 } from 'noli-viewer';
import { bodiesPanel } from './bodies';
import { isEditable } from './cell';
import { followGamepad } from './gamepad';
import { robotPanel } from './robot';
import { formulaPanel } from './formula';
import { labPanel } from './lab';
import { adjustWidths } from './layout';
import { fillHelp, lessonsPanel } from './learn';
import { Menu } from './menu';
import { monitorPanel } from './monitor';
import { pairsPanel } from './pairs';
import { bvhPanel, motionPanel, placePanel } from './panels';
import type { Panel } from './parts';
import { clashesPanel } from './results';
import { storedPanel } from './stored';
import { Studio } from './studio';
import './style.css';

const studio = new Studio(element<HTMLCanvasElement>('view'));
const choose = followTheme((wanted) => {
  studio.viewer.setTheme(wanted);
  studio.draw();
});

/* Panels. */

const left = bodiesPanel(studio);
element('left').append(left.root);
const panels: Record<string, Panel> = {
  Clashes: clashesPanel(studio),
  Place: placePanel(studio),
  Pairs: pairsPanel(studio),
  Motion: motionPanel(studio),
  Robot: robotPanel(studio),
  BVH: bvhPanel(studio),
  Formula: formulaPanel(studio),
  Parts: storedPanel(studio),
  Lab: labPanel(studio),
  Monitor: monitorPanel(studio),
  Lessons: lessonsPanel(studio, (panel) => show(panel)),
};
/** Labels that differ from the name of the panel. */
const LABELS: Record<string, string> = { Pairs: 'Pairs (ACM)' };
let open = 'Clashes';

function show(panel: string): void {
  if (!panels[panel]) return;
  const leaving = open;
  open = panel;
  element('panel').replaceChildren(panels[panel].root);
  for (const tab of element('tabs').children as HTMLCollectionOf<HTMLElement>) {
    const isOpen = tab.dataset.panel === panel;
    tab.setAttribute('aria-selected', String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    if (isOpen) element('panel').setAttribute('aria-labelledby', tab.id);
  }
  if (leaving === 'BVH' && panel !== 'BVH') {
    studio.tree = null;
    studio.viewer.setVolumes([], '');
    studio.draw();
  }
  if (leaving !== panel) panels[leaving]?.update('close');
  panels[panel].update('open');
}

for (const name of Object.keys(panels)) {
  element('tabs').append(make('button', { id: `tab-${name}`, textContent: LABELS[name] ?? name, onclick: () => show(name) }, [], { role: 'tab', 'aria-controls': 'panel', 'aria-selected': 'false', 'data-panel': name }));
}
element('tabs').addEventListener('keydown', (event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const names = Object.keys(panels).filter((name) => !element('tabs').querySelector<HTMLElement>(`[data-panel="${name}"]`)!.hidden);
  const next = names[(names.indexOf(open) + by + names.length) % names.length]!;
  show(next);
  element('tabs').querySelector<HTMLElement>(`[data-panel="${next}"]`)?.focus();
});

/* The bar above. */

element('undo').onclick = () => studio.say({ do: 'undo' });
element('redo').onclick = () => studio.say({ do: 'redo' });
element('save').onclick = () => studio.say({ do: 'save' });
const saveAs = element<HTMLDetailsElement>('saveas');
const fileName = make('input', { type: 'text', spellcheck: false }, [], { 'aria-label': 'File name' });
saveAs.append(make('div', {}, [make('form', {
  onsubmit: (event) => {
    event.preventDefault();
    saveAs.open = false;
    studio.say({ do: 'save_as', file: /\.toml$/i.test(fileName.value) ? fileName.value : `${fileName.value}.toml` });
  },
}, [fileName, make('button', { type: 'submit', textContent: 'Save' }, [], { 'data-save': 'as' })])]));
saveAs.addEventListener('focusout', (event) => !saveAs.contains(event.relatedTarget as Node | null) && (saveAs.open = false));
element('cancel').onclick = () => studio.say({ do: 'cancel' });
element('theme').onclick = () => choose(theme() === 'dark' ? 'light' : 'dark');
const dialog = element<HTMLDialogElement>('dialog');
fillHelp(dialog);
element('help').onclick = () => dialog.showModal();
const token = new URLSearchParams(location.search).get('token');
const exports = element<HTMLDetailsElement>('export');
for (const link of exports.querySelectorAll('a')) {
  if (token) link.href += `?token=${token}`;
  // A plain link would report no error, or store the error message as a file.
  link.onclick = async (event) => {
    event.preventDefault();
    exports.open = false;
    studio.onNote(`Writing ${link.textContent} …`);
    const answer = await fetch(link.href).catch(() => null);
    if (!answer?.ok) return studio.onNote('Nothing was exported.', answer ? (await answer.text()).trim() : 'The server does not respond');
    const address = URL.createObjectURL(await answer.blob());
    make('a', { href: address, download: new URL(link.href).pathname.split('/').at(-1)! }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };
}
exports.addEventListener('focusout', (event) => !exports.contains(event.relatedTarget as Node | null) && (exports.open = false));

studio.onNote = (text, help) => {
  const note = make('div', { className: help ? 'note problem' : 'note' }, [make('p', {}, [make('strong', { textContent: text }), help ? `${/[.!?]$/.test(text) ? '' : '.'} ${help[0]!.toUpperCase()}${help.slice(1)}.`.replace(/\.\.$/, '.') : '']), make('button', { textContent: '×', onclick: () => note.remove() }, [], { 'aria-label': 'Close' })]);
  element('notes').append(note);
  while (element('notes').children.length > 4) element('notes').firstChild!.remove();
  setTimeout(() => note.remove(), help ? 12_000 : 6000);
};
studio.onTask = (text, share, done) => {
  element('task').textContent = done ? '' : `${text} … ${Math.round(100 * share)} %`;
  element('cancel').hidden = done || text.startsWith('Comparing');
  document.body.dataset.busy = String(!done);
};
studio.link.onState = (state) => {
  element('link').textContent = { open: '', lost: 'Connection lost, reconnecting …', ended: 'No server' }[state];
  element('gone').hidden = state !== 'ended';
  document.body.dataset.link = state;
};

/* Controls over the view. */

const axes: (Axis | '')[] = ['', 'x', 'y', 'z'];
const share = make('input', { type: 'range', min: '0', max: '1000', value: '500', hidden: true }, [], { 'aria-label': 'Position of the section' });
const section = make('select', {
  onchange: () => {
    share.hidden = section.value === '';
    studio.viewer.setSection((section.value || null) as Axis | null, Number(share.value) / 1000);
  },
}, axes.map((axis) => make('option', { value: axis, textContent: axis ? `Section ${axis}` : 'No section' })), { 'aria-label': 'Section' });
share.oninput = () => studio.viewer.setSection((section.value || null) as Axis | null, Number(share.value) / 1000);
const measure = make('button', {
  textContent: 'Measure', title: 'Clearance from the selected body to the next one you click',
  onclick: () => measureFrom(),
}, [], { 'aria-pressed': 'false' });
function measureFrom(): void {
  if (studio.measuring === null && studio.chosen === null) return studio.onNote('Select the body to measure from.', 'Then press “Measure”, and click the other body.');
  studio.measuring = studio.measuring === null ? studio.chosen : null;
  if (studio.measuring !== null) studio.onNote(`Click the body to measure to, from ${studio.nameOf(studio.measuring)}.`);
  measure.setAttribute('aria-pressed', String(studio.measuring !== null));
}
/** Keys of the standard views, in their order. */
const VIEW_KEYS = ['0', '4', '5', '6', '7', '8', '9'];
const sides = make('select', {
  onchange: () => {
    studio.viewer.standardView(sides.value);
    sides.value = '';
  },
}, [make('option', { value: '', textContent: 'View …' }), ...Object.keys(VIEWS).map((side, k) => make('option', { value: side, textContent: `${side} (${VIEW_KEYS[k]})` }))], { 'aria-label': 'View from' });
const split = make('button', { textContent: 'Split', title: 'A second view with its own camera (V)', onclick: () => setSplit(studio.viewer.second === null) }, [], { 'aria-pressed': 'false', 'data-view': 'split' });
function setSplit(on: boolean): void {
  const place = element('second');
  place.hidden = !on;
  studio.viewer.openSecond(on ? place : null);
  split.setAttribute('aria-pressed', String(on));
}
const through = make('button', { textContent: 'X-ray', title: 'All bodies transparent except the selected one (X)', onclick: () => setThrough(!studio.seeThrough) }, [], { 'aria-pressed': 'false' });
/** A round length near a twentieth of the scene: 1, 2 or 5 times a power of ten. */
function gridStep(): number {
  const length = studio.viewer.size() / (studio.hello?.scale ?? 1) / 20;
  const power = 10 ** Math.floor(Math.log10(length));
  return ([5, 2].find((k) => k * power <= length) ?? 1) * power;
}
const floor = make('button', { textContent: 'Grid', title: 'A grid below all bodies (G)', onclick: () => setFloor(floor.getAttribute('aria-pressed') !== 'true') }, [], { 'aria-pressed': 'false' });
function setFloor(on: boolean): void {
  const { hello, viewer } = studio;
  if (!hello) return;
  const step = gridStep();
  viewer.setFloor(on ? [step * hello.scale, hello.middle.map((x) => -x * hello.scale) as Vec3] : null);
  floor.setAttribute('aria-pressed', String(on));
  floor.textContent = on ? `Grid ${Number(step.toPrecision(2))} ${hello.unit}` : 'Grid';
}
function setThrough(on: boolean): void {
  studio.seeThrough = on;
  studio.draw();
  studio.onChange('shown');
}
const modeButton = (label: string, mode: 'translate' | 'rotate', key: string) => make('button', {
  textContent: label, title: key, onclick: () => setGizmo(mode),
}, [], { 'data-gizmo': mode, 'aria-pressed': 'false' });
const select = make('button', { textContent: 'Select', title: 'Click selects, Shift-click adds; dragging turns the view (Q)', onclick: () => setTool('select') }, [], { 'data-gizmo': 'select', 'aria-pressed': 'true' });
/** The tool decides what dragging on a body does: turn the view, move the body, or rotate it with the gizmo. */
function setTool(tool: 'select' | 'translate' | 'rotate'): void {
  if (tool !== 'select') studio.gizmo = tool;
  studio.viewer.dragsAny = tool === 'translate' && !studio.hello?.is_database;
  for (const button of document.querySelectorAll<HTMLElement>('[data-gizmo]')) button.setAttribute('aria-pressed', String(button.dataset.gizmo === tool));
  studio.draw();
}
function setGizmo(mode: 'translate' | 'rotate'): void {
  setTool(mode);
}
element('tools').append(
  make('button', { textContent: 'Fit all', title: 'Fit all bodies, clear the selection (Esc)', onclick: () => studio.whole() }),
  select, modeButton('Move', 'translate', 'Drag any body; arrows move the selected one (W)'), modeButton('Rotate', 'rotate', 'Rotate the selected body (E)'), measure, through, floor, split, section, share,
  sides,
);
new Menu(studio, measureFrom, (panel) => show(panel), () => left.group());
adjustWidths();

/* A browser that draws no picture. */

const blind = element('blind');
const showPicture = (isDrawn: boolean) => (blind.hidden = isDrawn);
showPicture(studio.viewer.hasPicture);
studio.viewer.onPicture = showPicture;

/* Instructions for an empty scene. */

const welcome = element('welcome');
welcome.append(
  make('h2', { textContent: 'The scene is empty' }),
  make('p', { className: 'files-wanted', textContent: 'Drop mesh files onto this page: OBJ, STL, PLY, OFF, glTF, 3MF or DXF. They are copied into the folder.' }),
  make('p', {}, ['Or start with ',
    make('button', { textContent: 'a box', onclick: () => studio.say({ do: 'add', shape: { kind: 'box', size: [20, 20, 20].map((x) => x / (studio.hello?.scale ?? 1)) } }) }, [], { 'data-begin': 'box' }), ' ',
    make('button', { textContent: 'a formula', onclick: () => show('Formula') }, [], { 'data-begin': 'formula' }), ' ',
    make('button', { textContent: 'a lesson', onclick: () => show('Lessons') }, [], { 'data-begin': 'lesson' }), '.']),
  make('p', { className: 'soft', textContent: 'Every change is stored in the folder at once; “Save” writes a scene file.' }),
);
function greet(): void {
  const { hello, bodies, robot } = studio;
  welcome.hidden = !studio.ready || !hello || hello.is_database || robot !== null || bodies.some((body) => !body.gone);
  welcome.querySelector<HTMLElement>('.files-wanted')!.hidden = !hello?.files;
}

/* Three things to try, for a first visitor. */

const FIRST_VISIT = 'noli-first-visit';
const card = element('first');
const seen = () => {
  card.hidden = true;
  localStorage.setItem(FIRST_VISIT, 'seen');
};
const tries = (): [string, () => void][] => (studio.robot
  ? [['Run the program: every motion is proven first', () => document.querySelector<HTMLElement>('[data-run="run"]')?.click()],
    ['Move a joint: the arm stops before contact', () => document.querySelector<HTMLElement>('.joint input')?.focus()],
    ['See which pairs are checked', () => show('Pairs')]]
  : [['See the first clash', () => document.querySelector<HTMLElement>('[data-results="next"]')?.click()],
    ['Drag a body: it stops at contact', () => {
      setTool('translate');
      studio.onNote('Press on any body and drag it.');
    }],
    ['Find a removal path for the selected body', () => show('Motion')]]);
function introduce(): void {
  const isKnown = localStorage.getItem(FIRST_VISIT) === 'seen' || navigator.webdriver;
  card.hidden = isKnown || !studio.ready || !welcome.hidden || (studio.hello?.is_database ?? true);
  if (card.hidden || card.childElementCount > 0) return;
  card.append(
    make('h2', { textContent: 'Three things to try' }),
    make('ol', {}, tries().map(([text, act]) => make('li', {}, [make('button', { textContent: text, onclick: act })]))),
    make('p', { className: 'soft', textContent: 'Shift-click selects several bodies, the secondary button opens a menu. “?” explains keys and words; Lessons has exercises.' }),
    make('button', { textContent: '×', className: 'close', onclick: seen }, [], { 'aria-label': 'Close' }),
  );
}

function readout(): void {
  const chosen = studio.chosen === null ? null : studio.bodies[studio.chosen];
  const box = element('readout');
  const arm = studio.toolGizmo && !studio.timeline ? studio.jogged : null;
  box.hidden = chosen ? !studio.stopped && !studio.clearance : !arm;
  if (!chosen && arm) {
    box.classList.toggle('stop', arm.stopped !== null);
    box.replaceChildren(make('strong', { textContent: arm.stopped?.text ?? 'Tool' }), make('span', { textContent: arm.clearance_text }));
  }
  if (!chosen) return;
  box.classList.toggle('stop', studio.stopped !== null || studio.clearance?.at_most === 0);
  box.replaceChildren(make('strong', { textContent: studio.stopped ? studio.stopped.text : chosen.name }), make('span', { textContent: studio.clearanceText() }));
}

studio.onChange = (what) => {
  if (what === 'hello' && studio.hello) {
    document.title = `${studio.hello.title} – noli studio`;
    element('title').textContent = element('title').title = studio.hello.title;
    element('save').hidden = !studio.hello.can_save;
    saveAs.hidden = studio.hello.save_as === null;
    fileName.value = studio.hello.save_as ?? '';
    element('export').hidden = studio.hello.is_database;
    for (const button of document.querySelectorAll<HTMLElement>('[data-gizmo]')) button.hidden = studio.hello.is_database || (studio.robot !== null && !isEditable(studio));
    // Bundled cells stay as they are.
    const { database, is_database, panels: { tree, records = [] } } = studio.hello;
    const missing = is_database ? ['Clashes', 'Place', 'Pairs', 'Motion', 'Robot', 'Formula'] : studio.robot ? [...(isEditable(studio) ? [] : ['Place']), 'Motion', 'Formula'] : ['Robot'];
    if (!database) missing.push('Parts');
    if (!tree) missing.push('BVH');
    if (records.length === 0) missing.push('Lab');
    for (const tab of element('tabs').children) (tab as HTMLElement).hidden = missing.includes((tab as HTMLElement).dataset.panel!);
    for (const link of document.querySelectorAll<HTMLElement>('#export [data-scene]')) link.hidden = studio.robot !== null;
    // A folder of records opens with them.
    if (records.length > 0 && studio.bodies.length === 0 && open === 'Clashes') show('Lab');
    if (studio.robot && open === 'Clashes') show('Robot');
    else if (missing.includes(open)) show(is_database ? 'Parts' : 'Clashes');
  }
  const { undo, redo, unsaved } = studio.edits;
  const [undoButton, redoButton] = [element<HTMLButtonElement>('undo'), element<HTMLButtonElement>('redo')];
  [undoButton.disabled, redoButton.disabled] = [undo === null, redo === null];
  undoButton.title = undo ? `Undo: ${undo} (Ctrl Z)` : 'Nothing to undo';
  redoButton.title = redo ? `Redo: ${redo}` : 'Nothing to redo';
  element('save').textContent = unsaved ? `Save (${unsaved})` : 'Saved';
  element<HTMLButtonElement>('save').disabled = unsaved === 0;
  element('save').title = unsaved ? `Write ${unsaved} ${unsaved === 1 ? 'change' : 'changes'} into the file of ${studio.hello?.title ?? ''} (Ctrl S)` : 'All changes are in the file';
  const isLost = unsaved > 0 && studio.hello?.is_stored === false;
  element('unsaved').hidden = !isLost;
  element('unsaved').textContent = isLost ? `${unsaved} ${unsaved === 1 ? 'change' : 'changes'} of this demo, not saved anywhere: use “Save as”` : '';
  if (what === 'chosen' && studio.chosen !== null && studio.isMovable(studio.chosen) && ['Clashes', 'Lessons'].includes(open)) show('Place');
  if (what === 'pair' && studio.pair && open !== 'Clashes' && open !== 'Lessons') show('Clashes');
  if (what === 'track' && studio.timeline && open !== 'Motion' && open !== 'Robot') show('Motion');
  through.setAttribute('aria-pressed', String(studio.seeThrough));
  left.update(what);
  for (const panel of Object.values(panels)) panel.update(what);
  readout();
  greet();
  introduce();
  Object.assign(document.body.dataset, { ready: String(studio.ready), chosen: studio.chosen === null ? '' : studio.nameOf(studio.chosen), outcome: studio.results?.outcome ?? '' });
};

/* Keys and dropped files. */

document.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLElement && (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || dialog.open);
  // Texts have an undo of their own.
  const writing = event.target instanceof HTMLTextAreaElement || (event.target instanceof HTMLInputElement && event.target.type === 'text');
  if (!writing && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
    event.preventDefault();
    studio.say({ do: event.shiftKey ? 'redo' : 'undo' });
    return;
  }
  if (!writing && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'y') {
    event.preventDefault();
    studio.say({ do: 'redo' });
    return;
  }
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'g') {
    event.preventDefault();
    left.group();
    return;
  }
  // The page of the browser is nothing to save.
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's') {
    event.preventDefault();
    if (!element('save').hidden) element('save').click();
    else if (!saveAs.hidden) saveAs.open = true;
    return;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { chosen } = studio;
  const keys: Record<string, () => void> = {
    Escape: () => studio.escape(),
    q: () => setTool('select'),
    w: () => setGizmo('translate'),
    e: () => setGizmo('rotate'),
    '1': () => setMode('stop'),
    '2': () => setMode('slide'),
    '3': () => setMode('ghost'),
    f: () => (chosen === null ? studio.viewer.fit() : studio.viewer.lookAtBody(chosen)),
    h: () => studio.hideAll(studio.selected(), true),
    i: () => studio.isolate(studio.selected()),
    x: () => setThrough(!studio.seeThrough),
    l: () => studio.lock(studio.selected(), !studio.selected().every((body) => studio.locked.has(body))),
    v: () => setSplit(studio.viewer.second === null),
    ...Object.fromEntries(Object.keys(VIEWS).map((view, k) => [VIEW_KEYS[k], () => studio.viewer.standardView(view)])),
    g: () => setFloor(floor.getAttribute('aria-pressed') !== 'true'),
    Delete: () => studio.removeSelected(),
    '?': () => dialog.showModal(),
    ',': () => studio.timeline?.step(-1),
    '.': () => studio.timeline?.step(1),
  };
  if (event.key === ' ' && studio.timeline && !(event.target instanceof HTMLButtonElement)) {
    event.preventDefault();
    studio.timeline.toggle();
  } else if (keys[event.key]) {
    keys[event.key]!();
  }
});
function setMode(mode: 'stop' | 'slide' | 'ghost'): void {
  studio.mode = mode;
  panels.Place!.update('mode');
  studio.onNote({ stop: 'Stops at contact.', slide: 'Slides along obstacles.', ghost: 'Passes through.' }[mode]);
}
const over = (on: boolean) => document.body.classList.toggle('dropping', on);
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  over(event.dataTransfer?.types.includes('Files') ?? false);
});
document.addEventListener('dragleave', (event) => event.relatedTarget === null && over(false));
document.addEventListener('drop', (event) => {
  event.preventDefault();
  over(false);
  for (const file of event.dataTransfer?.files ?? []) void add(file);
});
async function add(file: File): Promise<void> {
  const answer = await fetch(`/api/upload?name=${encodeURIComponent(file.name)}${token ? `&token=${token}` : ''}`, { method: 'POST', body: file });
  const isPart = studio.hello?.is_database || /\.urdf$/i.test(file.name);
  if (answer.ok && isPart) studio.say({ do: 'import_part', file: file.name });
  else if (answer.ok) studio.addFile(file.name);
  else studio.onNote(`${file.name} was not added.`, (await answer.text()).trim());
}

followGamepad(studio);
show('Clashes');
studio.link.open();

/** For tests: the state of the page. */
Object.assign(window, { noli: { studio, show } });
