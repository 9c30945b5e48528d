import { make, nameElement, short, type Axis, type Vec3 } from 'noli-viewer';
import { choice, facts, field, heading, type Panel } from './parts';
import { anglesOf, originOf, quaternionOf } from './pose';
import type { Studio } from './studio';
import { sweptSection } from './swept';
import type { DragMode } from './types';

/** Contact behaviour of a dragged body and of a played path. */
const MODES: [DragMode, string][] = [['stop', 'Stop at contact'], ['slide', 'Slide along'], ['ghost', 'Pass through']];
/** Poses of a recorded path; a message of this size is accepted by the server. */
const MOST_PLACES = 1000;

export function placePanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Place'), body]);
  let inputs: HTMLInputElement[] = [];
  let shownFor: number | null = -1 as number | null;
  const live = make('p', { className: 'live', textContent: '' }, [], { 'aria-live': 'polite' });
  const apply = () => {
    if (studio.chosen === null) return;
    const values = inputs.map((input) => Number(input.value));
    if (values.some((value) => !Number.isFinite(value))) return studio.onNote('Invalid pose.', 'Enter a number in every field.');
    studio.say({ do: 'place', body: studio.chosen, xyz: values.slice(0, 3), quaternion: quaternionOf(values.slice(3, 6) as Vec3) });
  };
  const numbers = () => {
    const chosen = studio.chosen === null ? null : studio.bodies[studio.chosen];
    if (!chosen || !studio.hello) return;
    [...originOf(chosen, studio.hello), ...anglesOf(chosen.turn)].forEach((value, k) => {
      const input = inputs[k];
      if (input && document.activeElement !== input) input.value = String(Number(value.toFixed(6)));
    });
  };
  const fill = () => {
    shownFor = studio.chosen;
    const chosen = studio.chosen === null ? null : studio.bodies[studio.chosen];
    if (!chosen || !studio.hello) {
      body.replaceChildren(make('p', { className: 'empty', textContent: 'Select a body: click it in the view or in the list.' }));
      inputs = [];
      return;
    }
    const unit = studio.hello.unit;
    const input = (label: string) => make('input', { type: 'number', step: 'any', onchange: apply }, [], { 'aria-label': label });
    inputs = ['x', 'y', 'z', 'Rotation about x', 'Rotation about y', 'Rotation about z'].map(input);
    const modes = MODES.map(([mode, label]) => {
      const radio = make('input', { type: 'radio', name: 'mode', checked: studio.mode === mode, onchange: () => (studio.mode = mode) });
      return make('label', { className: 'radio' }, [radio, label]);
    });
    const stepInput = make('input', { type: 'number', min: '0', step: 'any', value: String(Number((1 / studio.hello.scale).toPrecision(1))) }, [], { 'aria-label': 'Step' });
    const arrows = (['x', 'y', 'z'] as Axis[]).flatMap((axis) => [-1, 1].map((sign) => make('button', {
      textContent: `${axis} ${sign < 0 ? '−' : '+'}`, onclick: () => studio.nudge(axis, sign * Number(stepInput.value)),
    }, [], { 'data-nudge': `${axis}${sign}` })));
    const toggle = (label: string, on: boolean, change: (on: boolean) => void) => {
      const box = make('input', { type: 'checkbox', checked: on, onchange: () => change(box.checked) });
      return make('label', { className: 'radio' }, [box, label]);
    };
    const position = [
      make('fieldset', {}, [make('legend', { textContent: `Position (${unit || 'units of the files'})` }), make('div', { className: 'three' }, inputs.slice(0, 3).map((input, k) => field('xyz'[k]!, input)))]),
      make('fieldset', {}, [make('legend', { textContent: 'Rotation about x, y, z (degrees)' }), make('div', { className: 'three' }, inputs.slice(3).map((input, k) => field('xyz'[k]!, input)))]),
    ];
    const remove = make('button', { textContent: 'Remove', onclick: () => studio.removeSelected() }, [], { 'data-place': 'remove' });
    const zoom = make('button', { textContent: 'Zoom to', onclick: () => studio.viewer.lookAtBody(studio.chosen!) });
    const isLocked = studio.locked.has(studio.chosen!);
    if (!studio.isMovable(studio.chosen!)) {
      const unlock = make('button', { textContent: 'Unlock', onclick: () => studio.lock(studio.selected(), false) }, [], { 'data-place': 'unlock' });
      body.replaceChildren(
        make('h3', {}, [nameElement(chosen.name, '')]),
        make('p', { className: 'empty', textContent: isLocked ? 'Locked in this tab: nothing here moves or removes it.' : 'A link of a robot. The base of a robot is placed in “Robot”.' }),
        make('div', { className: 'row' }, isLocked ? [zoom, unlock] : [zoom]),
      );
      return;
    }
    body.replaceChildren(
      make('h3', {}, [nameElement(chosen.name, '')]),
      studio.also.size > 0 ? make('p', { className: 'soft', textContent: `and ${studio.also.size} more, which move with it` }, [], { 'data-also': String(studio.also.size) }) : '',
      make('p', { className: 'soft', textContent: `${chosen.kind}${chosen.triangles ? `, ${chosen.triangles} triangles` : ''}${chosen.cells ? `: ${chosen.cells}` : ''}` }),
      live,
      make('fieldset', {}, [make('legend', { textContent: 'Drag mode' }), ...modes]),
      ...position,
      make('fieldset', {}, [make('legend', { textContent: 'Steps, as far as collision-free' }), field(`Step ${unit}`, stepInput), make('div', { className: 'six' }, arrows)]),
      make('div', { className: 'row' }, [
        toggle('local axes', studio.local, (on) => {
          studio.local = on;
          studio.draw();
        }),
        toggle('snap to steps', studio.snap !== null, (on) => {
          studio.snap = on ? Number(stepInput.value) || null : null;
          studio.draw();
        }),
      ]),
      make('div', { className: 'row' }, [
        zoom,
        make('button', { textContent: 'Isolate', onclick: () => studio.isolate(studio.selected()) }),
        ...(studio.robot ? [] : [make('button', { textContent: 'Duplicate', onclick: () => studio.say({ do: 'copy', body: studio.chosen }) })]),
        make('button', { textContent: 'Lock', title: 'Do not move it in this tab (L)', onclick: () => studio.lock(studio.selected(), true) }, [], { 'data-place': 'lock' }),
        remove,
      ]),
    );
    numbers();
  };
  const report = () => {
    live.textContent = studio.stopped ? studio.stopped.text : studio.clearanceText();
    live.classList.toggle('stop', studio.stopped !== null || studio.clearance?.at_most === 0);
  };
  return {
    root,
    update: (what) => {
      if (['hello', 'chosen', 'bodies', 'track', 'mode'].includes(what) || shownFor !== studio.chosen) fill();
      if (what === 'drag' || what === 'place') numbers();
      report();
    },
  };
}

/** The command that plays an entry. */
function commandOf(name: string): Record<string, unknown> {
  if (name === 'motions') return { do: 'play', frames: 100 };
  if (name === 'contact' || name === 'dynamics') return { do: 'simulate', dynamics: name === 'dynamics' };
  if (name.startsWith('path ')) return { do: 'play_path', name: name.slice(5) };
  if (name.startsWith('removal ')) return { do: 'play_removal', name: name.slice(8) };
  return name.startsWith('recording ') ? { do: 'recording', file: name.slice(10) } : { do: 'study', name };
}

export function motionPanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Motion'), body]);
  const swept = sweptSection(studio);
  const progress = make('progress', { max: 1, value: 0, hidden: true }, [], { 'aria-label': 'Progress of the search' });
  const stop = make('button', { textContent: 'Stop', hidden: true, onclick: () => studio.say({ do: 'cancel' }) }, [], { 'data-play': 'stop' });
  const fill = () => {
    const plays = studio.hello?.plays ?? [];
    const chosen = studio.chosen;
    const rows = plays.map((play) => make('li', {}, [
      make('span', { textContent: play.title }),
      make('button', {
        textContent: 'Play', onclick: () => studio.say(commandOf(play.name)),
      }, [], { 'aria-label': `Play ${play.title}`, 'data-play': play.name }),
      play.name.startsWith('path ') ? make('button', { textContent: '×', title: 'Delete this path', onclick: () => studio.say({ do: 'forget_path', name: play.name.slice(5) }) }, [], { 'aria-label': `Delete the path ${play.title}` }) : '',
    ]));
    const { recorded, path } = studio;
    const record = make('button', {
      textContent: recorded ? 'End' : 'Record', disabled: !recorded && chosen === null,
      onclick: () => {
        if (!recorded) {
          const { at, turn } = studio.bodies[chosen!]!;
          studio.closeTrack();
          studio.recorded = { body: chosen!, places: [[...at, ...turn]] };
        } else {
          studio.recorded = null;
          const places = recorded.places.filter((place, k) => k === 0 || place.some((x, n) => x !== recorded.places[k - 1]![n]));
          if (places.length < 2) {
            studio.onNote('Nothing was recorded.', 'Drag the body during the recording.');
          } else {
            studio.path = { body: recorded.body, places: places.filter((_, k) => k % Math.ceil(places.length / MOST_PLACES) === 0 || k === places.length - 1) };
            replay('stop');
          }
        }
        fill();
      },
    }, [], { 'data-play': 'record' });
    const replay = (mode: DragMode) => studio.say({ do: 'try_path', body: studio.path!.body, path: studio.path!.places, mode });
    const pathName = make('input', { type: 'text', maxLength: 60, placeholder: 'name of the path' }, [], { 'aria-label': 'Name of the path' });
    const keep = () => {
      if (!pathName.value.trim()) return studio.onNote('The path has no name.', 'Enter a name, then press “Keep”.');
      const name = pathName.value.trim();
      studio.say({ do: 'keep_path', name, body: path!.body, path: path!.places });
      if (studio.track?.bodies[0] === path!.body) studio.nameTrack(`${name}: ${studio.nameOf(path!.body)}`);
    };
    const replays = path && !recorded ? [
      make('p', { className: 'soft', textContent: `Play the path of ${studio.nameOf(path.body)}:` }),
      make('div', { className: 'row' }, MODES.map(([mode, label]) => make('button', { textContent: label, onclick: () => replay(mode) }, [], { 'data-replay': mode }))),
      make('div', { className: 'row' }, [pathName, make('button', { textContent: 'Keep', title: 'List this path under a name; “Save” writes it as a removal of the scene', onclick: keep }, [], { 'data-play': 'keep' })]),
    ] : [];
    const verdict = studio.track && studio.timeline ? make('p', { className: `verdict ${studio.track.free ? 'free' : 'blocked'}`, textContent: `${studio.track.title}: ${studio.track.verdict}` }) : '';
    const about = studio.track && studio.timeline ? studio.played.get(studio.track.title)?.body : undefined;
    const rivals = [...studio.played].filter(([, { body }]) => body === about);
    const unit = studio.hello?.unit ?? '';
    const figures = rivals.length < 2 ? '' : make('div', { className: 'scroll' }, [make('table', { className: 'figures' }, [
      make('caption', { textContent: `Paths of ${about}` }),
      make('thead', {}, [make('tr', {}, ['path', 'verdict', `length ${unit}`, `clearance ${unit}`].map((column) => make('th', { textContent: column })))]),
      make('tbody', {}, rivals.map(([title, { free, length, clearance }]) => make('tr', {}, [
        make('th', { textContent: title.replace(new RegExp(`(:| for| of) ${about?.replace(/[^\w]/g, '\\$&')}$`), ''), title }), make('td', { textContent: free ? 'free' : 'not free' }),
        make('td', { textContent: short(length, 4) }), make('td', { textContent: clearance === null ? '' : `≥ ${short(clearance, 4)}`, title: 'Proven along the whole path' }),
      ]))),
    ])]);
    const longest = studio.timeline ? studio.track?.longest : '';
    body.replaceChildren(
      verdict,
      figures,
      longest ? make('p', { className: 'soft', textContent: `Arrows are contact forces on the body they point away from; the longest is ${longest}.` }) : '',
      rows.length ? make('ul', { className: 'plays' }, rows) : make('p', { className: 'empty', textContent: 'This scene has no motions.' }),
      make('fieldset', {}, [
        make('legend', { textContent: 'Removal path' }),
        make('p', { className: 'soft', textContent: chosen === null ? 'Select a body first.' : `For ${studio.nameOf(chosen)}; all other bodies are obstacles.` }),
        make('div', { className: 'row' }, [
          make('button', { textContent: 'Find path', disabled: chosen === null, onclick: () => studio.say({ do: 'find_path', body: chosen }) }, [], { 'data-play': 'path' }),
          stop, progress,
        ]),
      ]),
      make('fieldset', {}, [
        make('legend', { textContent: 'Record a path' }),
        make('p', { className: 'soft', textContent: recorded ? `Drag ${studio.nameOf(recorded.body)} with the mouse, a gamepad or a six-axis device. Use “Pass through” (3) to ignore contacts.` : 'noli then tests the whole path for collisions, and plays it in every mode.' }),
        make('div', { className: 'row' }, [record]),
        ...replays,
      ]),
      swept.root,
    );
    swept.fill();
  };
  return {
    root,
    update: (what) => {
      if (what === 'task') {
        const { task } = studio;
        progress.hidden = stop.hidden = task === null || task.text.startsWith('Comparing');
        progress.value = task?.share ?? 0;
      }
      if (['hello', 'chosen', 'track', 'plays'].includes(what)) fill();
      if (what === 'swept') swept.fill();
    },
  };
}

export function bvhPanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('BVH'), body]);
  const wanted = { volume: 'sphere', split: 'surface-area', walk: 'one-sided', degree: 2, level: 0, against: null as number | null };
  const query = () => {
    if (studio.chosen === null) return;
    if (wanted.against === studio.chosen) wanted.against = null;
    if (wanted.against !== null) studio.treeWalks.add(wanted.walk);
    studio.say({ do: 'panel', panel: 'tree', message: { body: studio.chosen, choice: wanted } });
  };
  const set = <K extends keyof typeof wanted>(key: K) => (value: string) => {
    (wanted[key] as unknown) = key === 'degree' || key === 'level' ? Number(value) : value;
    query();
  };
  const figures = make('dl', {}, [], { 'aria-live': 'polite' });
  const level = make('input', { type: 'range', min: '0', max: '1', value: '0', oninput: () => set('level')(level.value) }, [], { 'aria-label': 'Level' });
  const fill = () => {
    if (studio.chosen === null) {
      body.replaceChildren(make('p', { className: 'empty', textContent: 'Select a body to display its hierarchy.' }));
      return;
    }
    const names = studio.bodies.map((entry, number) => ({ entry, number })).filter(({ entry, number }) => !entry.gone && number !== studio.chosen);
    const against = make('select', { onchange: () => {
      wanted.against = against.value === '' ? null : Number(against.value);
      query();
    } }, [make('option', { value: '', textContent: 'nothing' })], { 'aria-label': 'Against' });
    for (const { entry, number } of names.slice(0, 1000)) against.append(make('option', { value: String(number), textContent: entry.name, selected: wanted.against === number }));
    body.replaceChildren(
      make('h3', {}, [nameElement(studio.nameOf(studio.chosen), '')]),
      field('Volumes', choice(['sphere', 'aabb', 'obb'], wanted.volume, set('volume'), 'Volumes')),
      field('Split', choice(['surface-area', 'median', 'longest-axis', 'morton', 'octree', 'gottschalk', 'zachmann', 'hochbaum-shmoys', 'exchange'], wanted.split, set('split'), 'Split')),
      field('Children', choice(['2', '3', '4', '6', '8'], String(wanted.degree), set('degree'), 'Children')),
      field('Level', level),
      field('Against', against),
      field('Traversal', choice(['one-sided', 'simultaneous', 'hybrid'], wanted.walk, set('walk'), 'Traversal')),
      figures,
    );
  };
  let shownFor: number | null = null;
  return {
    root,
    update: (what) => {
      if (what === 'tree' && studio.tree) {
        level.max = String(Math.max(studio.tree.levels - 1, 0));
        level.value = String(wanted.level);
        figures.replaceChildren(...facts(studio.tree.facts));
        studio.draw();
      }
      if (what === 'open' || (['chosen', 'bodies', 'hello'].includes(what) && root.isConnected)) {
        fill();
        if (studio.chosen !== null && (what === 'open' || shownFor !== studio.chosen)) {
          wanted.level = 0;
          query();
          studio.viewer.lookAtBody(studio.chosen);
        }
        shownFor = studio.chosen;
      }
    },
  };
}
