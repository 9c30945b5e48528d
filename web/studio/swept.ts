import { make, short } from 'noli-viewer';
import { field } from './parts';
import type { Studio } from './studio';

/** Formats that the server writes. */
const FORMATS = ['obj', 'stl', 'glb'];

/** Computes, shows, exports and adds the swept volume of a path, of the motions of the scene, or of a program. */
export function sweptSection(studio: Studio): { root: HTMLElement; fill: () => void } {
  const root = make('fieldset', {}, [], { 'data-swept': 'section' });
  const error = make('input', { type: 'number', min: '0', step: 'any', placeholder: 'automatic' }, [], { 'aria-label': 'Error of the swept volume' });
  let source = '';

  /** What can be swept: a label and the command of each. */
  const sources = (): [string, string, Record<string, unknown>][] => {
    if (studio.robot) return [['program', 'The program', {}]];
    const { path, recorded } = studio;
    const own: [string, string, Record<string, unknown>][] = path && !recorded
      ? [['path', `The path of ${studio.nameOf(path.body)}`, { body: path.body, path: path.places }]] : [];
    const kept = (studio.hello?.plays ?? []).filter(({ name }) => name === 'motions' || name.startsWith('path '));
    return [...own, ...kept.map(({ name, title }): [string, string, Record<string, unknown>] => [name, title, { name: name.replace(/^path /, '') }])];
  };

  const compute = () => {
    const found = sources().find(([key]) => key === source) ?? sources()[0];
    if (!found) return;
    const value = error.value === '' ? null : Number(error.value);
    studio.say({ do: 'sweep', ...found[2], error: value });
  };

  const save = async (extension: string) => {
    const token = new URLSearchParams(location.search).get('token');
    const answer = await fetch(`/api/export/swept.${extension}${token ? `?token=${token}` : ''}`).catch(() => null);
    if (!answer?.ok) return studio.onNote('Nothing was exported.', answer ? (await answer.text()).trim() : 'The server does not respond');
    const address = URL.createObjectURL(await answer.blob());
    make('a', { href: address, download: `swept.${extension}` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  };

  const shown = (): HTMLElement[] => {
    const { swept } = studio;
    if (!swept) return [];
    const unit = studio.hello?.unit ?? '';
    const [low, high] = swept.volume.map((volume) => short(volume, 4));
    const canAdd = !studio.hello?.is_database && (!studio.robot || studio.robot.robots.length > 0);
    return [
      make('p', { className: 'verdict free', textContent: `${swept.title}: encloses every moment, within ${short(swept.error, 4)} ${unit}` }),
      make('p', { className: 'soft', textContent: `Volume from ${low} to ${high} ${unit}³, proven; ${swept.triangles} triangles in ${short(swept.seconds, 2)} s` }),
      make('div', { className: 'row' }, [
        make('button', { textContent: 'Add as body', disabled: !canAdd, title: 'An obstacle for all other bodies; its pairs with the moving ones are disabled', onclick: () => studio.say({ do: 'add_swept' }) }, [], { 'data-swept': 'add' }),
        ...FORMATS.map((extension) => make('button', { textContent: extension === 'glb' ? 'glTF' : extension.toUpperCase(), title: `Save as swept.${extension}`, onclick: () => void save(extension) }, [], { 'data-swept': extension })),
        make('button', { textContent: 'Remove', onclick: () => studio.say({ do: 'forget_swept' }) }, [], { 'data-swept': 'forget' }),
      ]),
    ];
  };

  const fill = () => {
    const all = sources();
    if (!all.some(([key]) => key === source)) source = all[0]?.[0] ?? '';
    const choose = make('select', { onchange: () => (source = choose.value) }, all.map(([key, label]) => make('option', { value: key, textContent: label, selected: key === source })), { 'aria-label': 'Motion to sweep' });
    root.replaceChildren(
      make('legend', { textContent: 'Swept volume' }),
      ...(all.length === 0
        ? [make('p', { className: 'soft', textContent: 'Record or find a path first.' })]
        : [choose, make('div', { className: 'row' }, [
          field(`Error ${studio.hello?.unit ?? ''}`, error),
          make('button', { textContent: 'Compute', title: 'A closed mesh that encloses every moment of the motion', onclick: compute }, [], { 'data-swept': 'compute' }),
        ])]),
      ...shown(),
    );
  };
  return { root, fill };
}
