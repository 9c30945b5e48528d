import { make, nameElement, type Axis, type Vec3 } from 'noli-viewer';
import { choice, facts, field, heading, type Panel } from './parts';
import { anglesOf, originOf, quaternionOf } from './pose';
import type { Studio } from './studio';
import type { DragMode } from './types';

/** How a body meets others, on the pointer and on a way that is played. */
const MODES: [DragMode, string][] = [['stop', 'Stop at contact'], ['slide', 'Slide along'], ['ghost', 'Pass through']];
/** Of a way by hand; a message with as many is within what the server reads. */
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
    if (values.some((value) => !Number.isFinite(value))) return studio.onNote('A place is made of numbers.', 'Mend the one that is none.');
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
      body.replaceChildren(make('p', { className: 'empty', textContent: 'Choose a body: click it in the view or in the list.' }));
      inputs = [];
      return;
    }
    const unit = studio.hello.unit;
    const input = (label: string) => make('input', { type: 'number', step: 'any', onchange: apply }, [], { 'aria-label': label });
    inputs = ['x', 'y', 'z', 'Turn about x', 'Turn about y', 'Turn about z'].map(input);
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
    body.replaceChildren(
      make('h3', {}, [nameElement(chosen.name, '')]),
      make('p', { className: 'soft', textContent: `${chosen.kind}${chosen.triangles ? `, ${chosen.triangles} triangles` : ''}` }),
      live,
      make('fieldset', {}, [make('legend', { textContent: 'While it is dragged' }), ...modes]),
      make('fieldset', {}, [make('legend', { textContent: `Place (${unit || 'units of the files'})` }), make('div', { className: 'three' }, inputs.slice(0, 3).map((input, k) => field('xyz'[k]!, input)))]),
      make('fieldset', {}, [make('legend', { textContent: 'Turned about x, y, z (degrees)' }), make('div', { className: 'three' }, inputs.slice(3).map((input, k) => field('xyz'[k]!, input)))]),
      make('fieldset', {}, [make('legend', { textContent: 'Step by step, as far as is free' }), field(`Step ${unit}`, stepInput), make('div', { className: 'six' }, arrows)]),
      make('div', { className: 'row' }, [
        toggle('own axes', studio.local, (on) => {
          studio.local = on;
          studio.draw();
        }),
        toggle('snap to steps', studio.snap !== null, (on) => {
          studio.snap = on ? Number(stepInput.value) || null : null;
          studio.draw();
        }),
      ]),
      make('div', { className: 'row' }, [
        make('button', { textContent: 'Fly to it', onclick: () => studio.viewer.lookAtBody(studio.chosen!) }),
        make('button', { textContent: 'Alone', onclick: () => studio.isolate(studio.chosen) }),
        make('button', { textContent: 'Copy', onclick: () => studio.say({ do: 'copy', body: studio.chosen }) }),
        make('button', { textContent: 'Take out', onclick: () => studio.say({ do: 'remove', body: studio.chosen }) }),
      ]),
    );
    numbers();
  };
  const tell = () => {
    live.textContent = studio.stopped ? studio.stopped.text : studio.gapText();
    live.classList.toggle('stop', studio.stopped !== null || studio.gap?.at_most === 0);
  };
  return {
    root,
    update: (what) => {
      if (['hello', 'chosen', 'bodies', 'track', 'mode'].includes(what) || shownFor !== studio.chosen) fill();
      if (what === 'drag' || what === 'place') numbers();
      tell();
    },
  };
}

/** What is asked for something that can be played. */
function commandOf(name: string): Record<string, unknown> {
  if (name === 'motions') return { do: 'play', frames: 100 };
  if (name === 'contact' || name === 'dynamics') return { do: 'simulate', dynamics: name === 'dynamics' };
  return name.startsWith('recording ') ? { do: 'recording', file: name.slice(10) } : { do: 'study', name };
}

export function playPanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Play'), body]);
  const progress = make('progress', { max: 1, value: 0, hidden: true }, [], { 'aria-label': 'How far the search is' });
  const stop = make('button', { textContent: 'Stop', hidden: true, onclick: () => studio.say({ do: 'cancel' }) }, [], { 'data-play': 'stop' });
  const fill = () => {
    const plays = studio.hello?.plays ?? [];
    const chosen = studio.chosen;
    const rows = plays.map((play) => make('li', {}, [
      make('span', { textContent: play.title }),
      make('button', {
        textContent: 'Play', onclick: () => studio.say(commandOf(play.name)),
      }, [], { 'aria-label': `Play ${play.title}`, 'data-play': play.name }),
    ]));
    const { recorded, way } = studio;
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
            studio.onNote('Nothing was recorded.', 'Drag the body while it records.');
          } else {
            studio.way = { body: recorded.body, places: places.filter((_, k) => k % Math.ceil(places.length / MOST_PLACES) === 0 || k === places.length - 1) };
            replay('stop');
          }
        }
        fill();
      },
    }, [], { 'data-play': 'record' });
    const replay = (mode: DragMode) => studio.say({ do: 'try_way', body: studio.way!.body, way: studio.way!.places, mode });
    const replays = way && !recorded ? [
      make('p', { className: 'soft', textContent: `The way of ${studio.nameOf(way.body)} again:` }),
      make('div', { className: 'row' }, MODES.map(([mode, label]) => make('button', { textContent: label, onclick: () => replay(mode) }, [], { 'data-replay': mode }))),
    ] : [];
    const verdict = studio.track && studio.timeline ? make('p', { className: `verdict ${studio.track.free ? 'free' : 'blocked'}`, textContent: `${studio.track.title}: ${studio.track.verdict}` }) : '';
    const longest = studio.timeline ? studio.track?.longest : '';
    body.replaceChildren(
      verdict,
      longest ? make('p', { className: 'soft', textContent: `Arrows are forces, on the body they point away from; the longest is ${longest}.` }) : '',
      rows.length ? make('ul', { className: 'plays' }, rows) : make('p', { className: 'empty', textContent: 'Nothing moves in this scene by itself.' }),
      make('fieldset', {}, [
        make('legend', { textContent: 'Find a way out' }),
        make('p', { className: 'soft', textContent: chosen === null ? 'Choose a body first.' : `For ${studio.nameOf(chosen)}, all others standing.` }),
        make('div', { className: 'row' }, [
          make('button', { textContent: 'Find a way', disabled: chosen === null, onclick: () => studio.say({ do: 'find_way', body: chosen }) }, [], { 'data-play': 'way' }),
          stop, progress,
        ]),
      ]),
      make('fieldset', {}, [
        make('legend', { textContent: 'Record a way by hand' }),
        make('p', { className: 'soft', textContent: recorded ? `Drag ${studio.nameOf(recorded.body)} now, with the mouse, a gamepad or a six-degree device; choose “pass through” (3) to draw freely.` : 'Then noli says whether the way is free, at all times, and plays it in every mode.' }),
        make('div', { className: 'row' }, [record]),
        ...replays,
      ]),
    );
  };
  return {
    root,
    update: (what) => {
      if (what === 'task') {
        const { task } = studio;
        progress.hidden = stop.hidden = task === null || task.text.startsWith('Comparing');
        progress.value = task?.share ?? 0;
      }
      if (['hello', 'chosen', 'track'].includes(what)) fill();
    },
  };
}

export function treesPanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Trees'), body]);
  const wanted = { volume: 'sphere', split: 'surface-area', walk: 'one-sided', degree: 2, level: 0, against: null as number | null };
  const ask = () => {
    if (studio.chosen === null) return;
    if (wanted.against === studio.chosen) wanted.against = null;
    if (wanted.against !== null) studio.treeWalks.add(wanted.walk);
    studio.say({ do: 'tree', body: studio.chosen, choice: wanted });
  };
  const set = <K extends keyof typeof wanted>(key: K) => (value: string) => {
    (wanted[key] as unknown) = key === 'degree' || key === 'level' ? Number(value) : value;
    ask();
  };
  const told = make('dl', {}, [], { 'aria-live': 'polite' });
  const level = make('input', { type: 'range', min: '0', max: '1', value: '0', oninput: () => set('level')(level.value) }, [], { 'aria-label': 'Level' });
  const fill = () => {
    if (studio.chosen === null) {
      body.replaceChildren(make('p', { className: 'empty', textContent: 'Choose a body to see how it is divided.' }));
      return;
    }
    const names = studio.bodies.map((entry, number) => ({ entry, number })).filter(({ entry, number }) => !entry.gone && number !== studio.chosen);
    const against = make('select', { onchange: () => {
      wanted.against = against.value === '' ? null : Number(against.value);
      ask();
    } }, [make('option', { value: '', textContent: 'nothing' })], { 'aria-label': 'Against' });
    for (const { entry, number } of names.slice(0, 1000)) against.append(make('option', { value: String(number), textContent: entry.name, selected: wanted.against === number }));
    body.replaceChildren(
      make('h3', {}, [nameElement(studio.nameOf(studio.chosen), '')]),
      field('Volumes', choice(['sphere', 'aabb', 'obb'], wanted.volume, set('volume'), 'Volumes')),
      field('Split', choice(['surface-area', 'median', 'longest-axis', 'morton', 'octree', 'gottschalk', 'zachmann', 'hochbaum-shmoys', 'exchange'], wanted.split, set('split'), 'Split')),
      field('Children', choice(['2', '3', '4', '6', '8'], String(wanted.degree), set('degree'), 'Children')),
      field('Level', level),
      field('Against', against),
      field('Walk', choice(['one-sided', 'simultaneous', 'hybrid'], wanted.walk, set('walk'), 'Walk')),
      told,
    );
  };
  let shownFor: number | null = null;
  return {
    root,
    update: (what) => {
      if (what === 'tree' && studio.tree) {
        level.max = String(Math.max(studio.tree.levels - 1, 0));
        level.value = String(wanted.level);
        told.replaceChildren(...facts(studio.tree.facts));
        studio.draw();
      }
      if (what === 'open' || (['chosen', 'bodies', 'hello'].includes(what) && root.isConnected)) {
        fill();
        if (studio.chosen !== null && (what === 'open' || shownFor !== studio.chosen)) {
          wanted.level = 0;
          ask();
          studio.viewer.lookAtBody(studio.chosen);
        }
        shownFor = studio.chosen;
      }
    },
  };
}
