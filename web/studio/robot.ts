import { COLOURS, make, short } from 'noli-viewer';
import { isEditable, robotEntries } from './cell';
import { SPEEDS, whileHeld } from './hold';
import { programList } from './programs';
import { choice, dhTable, field, heading, type Panel } from './parts';
import type { Studio } from './studio';
import { sweptSection } from './swept';

const DEGREES = 180 / Math.PI;
/** Keywords of VAL-II for highlighting; the server parses the program. */
const WORDS = /\b(APPROS?|BREAK|CALL|CASE|CLOSEI?|DELAY|DEPARTS?|DO|DRIVE|ELSE|END|FINE|FOR|GOTO|HALT|IF|MOVES?T?|OF|OPENI?|PAUSE|READY|RELAX|RESET|RETURN|SET|SHIFT|BY|SIG|SIGNAL|SPEED|MMPS|STEP|STOP|THEN|TO|TOOL|TRANS|TYPE|UNTIL|VALUE|WAIT|WHILE|AND|OR|NOT|PROGRAM|main program)\b/gi;

const escaped = (text: string) => text.replace(/[&<>]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[letter]!);

/** A line with highlighted keywords. */
function coloured(line: string): string {
  const comment = line.indexOf(';');
  const code = comment < 0 ? line : line.slice(0, comment);
  const parts = code.split(/("[^"]*")/);
  const text = parts.map((part, k) => (k % 2 ? `<i>${escaped(part)}</i>` : escaped(part).replace(WORDS, '<b>$&</b>').replace(/\b\d+(\.\d+)?\b/g, '<u>$&</u>'))).join('');
  return text + (comment < 0 ? '' : `<em>${escaped(line.slice(comment))}</em>`);
}

/** Joints, tool, locations and the program of a robot. */
export function robotPanel(studio: Studio): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Robot'), body]);
  let sliders: { slider: HTMLInputElement; out: HTMLInputElement; degrees: boolean }[] = [];
  const live = make('p', { className: 'live' }, [], { 'aria-live': 'polite' });
  const tool = make('p', { className: 'soft' });
  const branches = make('ul', { className: 'plays branches' });
  const locations = make('ul', { className: 'plays locations' });
  const signals = make('p', { className: 'signals' });

  /* The editor: a text field over its highlighted copy. */
  const picture = make('pre', { className: 'picture' }, [], { 'aria-hidden': 'true' });
  const gutter = make('div', { className: 'gutter' });
  const text = make('textarea', { className: 'code', spellcheck: false, wrap: 'off' }, [], { 'aria-label': 'Program' });
  const errors = make('ul', { className: 'errors' }, [], { 'aria-live': 'polite' });
  const breakpoints = new Set<number>();
  let current = 0;
  /** The program text of the displayed run. */
  let ranText = '';
  let waiting: number | undefined;
  /** The line at which the displayed run stopped; it is red. */
  const stopLine = () => (studio.timeline && ranText === text.value ? studio.track?.stop_line ?? 0 : 0);
  const paint = () => {
    programs.fill();
    const lines = text.value.split('\n');
    const wrong = new Set(studio.errors.map(([line]) => line));
    picture.innerHTML = lines.map((line, k) => `<span class="${k + 1 === current ? 'current' : ''}${wrong.has(k + 1) ? ' wrong' : ''}${k + 1 === stopLine() ? ' stop' : ''}">${coloured(line) || ' '}</span>`).join('\n');
    gutter.replaceChildren(...lines.map((_, k) => make('button', {
      className: `${breakpoints.has(k + 1) ? 'break' : ''}${k + 1 === current ? ' current' : ''}${k + 1 === stopLine() ? ' stop' : ''}`, textContent: String(k + 1), title: 'Breakpoint',
      onclick: () => {
        if (!breakpoints.delete(k + 1)) breakpoints.add(k + 1);
        paint();
      },
    }, [], { 'aria-label': `Line ${k + 1}${breakpoints.has(k + 1) ? ', breakpoint' : ''}` })));
    text.style.height = picture.style.height = `${lines.length * 18 + 24}px`;
  };
  text.oninput = () => {
    if (studio.robot) studio.robot.program = text.value;
    paint();
    clearTimeout(waiting);
    waiting = setTimeout(() => studio.say({ do: 'program', text: text.value }), 350) as unknown as number;
  };
  const showErrors = () => {
    errors.replaceChildren(...studio.errors.map(([line, reason, help]) => make('li', {}, [make('strong', { textContent: `Line ${line}: ${reason}. ` }), help])));
    paint();
  };
  /** Action after a run: play it, wait at its start, or go to a line. */
  let then: 'play' | 'wait' | number = 'play';
  const run = (what: typeof then) => {
    then = what;
    clearTimeout(waiting);
    studio.say({ do: 'program', text: text.value });
    studio.say({ do: 'run' });
  };
  const lines = () => studio.track?.lines ?? [];
  const hasRun = () => studio.timeline !== null && lines().length > 0 && ranText === text.value;
  /** To the next instruction; from the end, to the first. */
  const step = () => {
    const { timeline } = studio;
    if (!timeline || !hasRun()) return run('wait');
    timeline.stop();
    const from = timeline.time >= 1 ? -1 : timeline.time;
    timeline.go(lines().find(([time]) => time > from + 1e-6)?.[0] ?? 1);
  };
  const pause = () => (hasRun() ? studio.timeline!.toggle() : run('play'));
  const lineAt = (place: number) => text.value.slice(0, place).split('\n').length;
  const toCursor = () => {
    const line = lineAt(text.selectionStart);
    if (!hasRun()) return run(line);
    goToLine(line);
  };
  const goToLine = (line: number) => {
    studio.timeline?.stop();
    const found = lines().find(([, number]) => number >= line);
    if (found) studio.timeline?.go(found[0]);
    else studio.onNote('The run does not reach this line.', `It ${studio.track?.verdict ?? 'stops before'}`);
  };
  /** Inserts a line below the cursor, with the same indentation. */
  const insert = (line: string) => {
    const number = lineAt(text.selectionStart);
    const all = text.value.split('\n');
    const deep = /^\s*/.exec(all[number - 1] ?? '')![0];
    all.splice(number, 0, deep + line);
    text.value = all.join('\n');
    const at = all.slice(0, number + 1).join('\n').length;
    text.setSelectionRange(at, at);
    text.oninput!(new Event('input') as never);
  };

  const programs = programList({
    text: () => text.value,
    set: (whole) => {
      text.value = whole;
      if (studio.robot) studio.robot.program = whole;
      clearTimeout(waiting);
      paint();
      studio.say({ do: 'program', text: whole, step: true });
    },
    go: (line) => {
      const start = text.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
      text.focus({ preventScroll: true });
      text.setSelectionRange(start, start);
      const editor = text.closest('.editor');
      if (editor) editor.scrollTop = Math.max(0, (line - 2) * 18);
    },
    note: (what, help) => studio.onNote(what, help),
  });
  const slide = () => {
    const values = sliders.map(({ slider, degrees }) => Number(slider.value) / (degrees ? DEGREES : 1000));
    studio.jog({ do: 'jog', values });
  };
  /** Moves one joint to a value that was typed or stepped to, in degrees or millimetres. */
  const setJoint = (k: number, value: number) => {
    if (!Number.isFinite(value)) return studio.onNote('Invalid joint value.', 'Enter a number in degrees or millimetres.');
    const values = (studio.robot?.joints ?? []).map((joint) => joint.value);
    values[k] = value / (sliders[k]!.degrees ? DEGREES : 1000);
    studio.jog({ do: 'jog', values });
  };
  const showJoint = (k: number, joint: number) => {
    const row = sliders[k];
    if (!row) return;
    const value = joint * (row.degrees ? DEGREES : 1000);
    if (document.activeElement !== row.slider || studio.jogged?.stopped || studio.timeline) row.slider.value = String(value);
    if (document.activeElement !== row.out) row.out.value = short(Number(value.toFixed(2)), 5);
  };
  const numbers = () => {
    studio.robot?.joints.forEach((joint, k) => showJoint(k, joint.value));
    live.textContent = studio.jogged?.stopped ? studio.jogged.stopped.text : studio.jogged?.clearance_text ?? '';
    live.classList.toggle('stop', studio.jogged?.stopped != null);
    const at = studio.jogged?.tool_at ?? studio.robot?.tool_at;
    if (at) tool.textContent = `Tool at ${at.map((x) => (x * 1000).toFixed(1)).join(', ')} mm`;
  };
  const fillBranches = () => branches.replaceChildren(...studio.branches.map((branch) => make('li', {
    onmouseenter: () => studio.ghost(branch), onmouseleave: () => studio.ghost(null),
  }, [
    make('span', {}, [branch.name, make('span', { className: 'soft', textContent: branch.within ? (branch.free ? '' : '  in collision') : '  beyond joint limits' })]),
    make('button', { textContent: 'Go', disabled: !branch.within, onfocus: () => studio.ghost(branch), onblur: () => studio.ghost(null), onclick: () => {
      studio.ghost(null);
      studio.jog({ do: 'jog', values: branch.values }, 'branch');
    } }),
  ])));
  const fillLocations = () => locations.replaceChildren(...(studio.robot?.locations ?? []).map((location) => {
    const name = location.name.toLowerCase();
    const named = make('button', {
      className: 'pick', title: `Zoom to ${name}`, onclick: () => {
        studio.viewer.setMarks([{ at: location.at, colour: COLOURS.second }]);
        studio.viewer.lookAt(location.at, 8);
      },
    }, [name, make('span', { className: 'soft', textContent: `${location.precise ? '  joints' : ''}${location.taught ? '  taught' : ''}` })], { 'aria-label': `Zoom to ${name}` });
    const rename = () => {
      const to = prompt(`New name of the location ${name}`, name)?.trim();
      if (to && to !== name) studio.say({ do: 'rename', name, to });
    };
    return make('li', {}, [
      named,
      make('button', { textContent: 'Go', title: location.precise ? 'Move the joints to these values, as far as collision-free' : 'Move the tool there, as far as collision-free', onclick: () => studio.jog({ do: 'go', location: name }) }, [], { 'aria-label': `Go to ${name}`, 'data-go': name }),
      make('button', { textContent: 'Plan', title: 'Plan a collision-free path to it, prove it, and move there', onclick: () => studio.say({ do: 'plan_to', location: name }) }, [], { 'aria-label': `Plan a path to ${name}`, 'data-plan': name }),
      make('button', { textContent: 'MOVE', title: 'Insert MOVE below the cursor', onclick: () => insert(`MOVE ${name}`) }, [], { 'aria-label': `Insert MOVE ${name}`, 'data-move': name }),
      make('button', { textContent: '✎', title: `Rename ${name}; the program keeps the old name`, onclick: rename }, [], { 'aria-label': `Rename ${name}`, 'data-rename': name }),
      make('button', { textContent: '×', title: `Delete ${name}`, onclick: () => studio.say({ do: 'forget', name }) }, [], { 'aria-label': `Delete ${name}`, 'data-forget': name }),
    ]);
  }));
  /** Jog speed, in percent of the largest one. */
  let override = 25;
  let toolModes: HTMLElement[] = [];
  const isKnown = (name: string) => (studio.robot?.locations ?? []).some((location) => location.name.toLowerCase() === name.toLowerCase());
  const teach = (name: string, precise: boolean) => {
    const key = precise ? `#${name.replace(/^#+/, '')}` : name;
    if (isKnown(key) && !confirm(`Replace the location ${key} by the present ${precise ? 'joint values' : 'pose of the tool'}?`)) return;
    studio.say({ do: 'teach', name, precise });
  };
  const fill = () => {
    const { robot } = studio;
    if (!robot) {
      body.replaceChildren(make('p', { className: 'empty', textContent: 'This project has no robot. Open a cell: noli serve CELL.toml, or noli serve --demo magazine.' }));
      return;
    }
    sliders = robot.joints.map((joint) => {
      const degrees = !joint.slides;
      const factor = degrees ? DEGREES : 1000;
      const slider = make('input', {
        type: 'range', step: 'any', min: String(joint.low * factor), max: String(joint.high * factor), value: String(joint.value * factor), disabled: joint.follows, oninput: slide,
      }, [], { 'aria-label': joint.name });
      const out = make('input', { type: 'number', step: 'any', disabled: joint.follows, onchange: () => setJoint(sliders.findIndex((row) => row.out === out), Number(out.value)) }, [], { 'aria-label': `${joint.name} in ${degrees ? 'degrees' : 'mm'}`, 'data-joint': joint.name });
      return { slider, out, degrees };
    });
    const speed = choice(SPEEDS.map((share) => `${share} %`), `${override} %`, (value) => (override = parseFloat(value)), 'Jog speed');
    const jointStep = make('input', { type: 'number', min: '0', step: 'any', value: '5' }, [], { 'aria-label': 'Step of a joint' });
    const by = (k: number, step: number) => setJoint(k, studio.robot!.joints[k]!.value * (sliders[k]!.degrees ? DEGREES : 1000) + step);
    const rows = robot.joints.map((joint, k) => make('div', { className: 'joint' }, [
      make('span', { textContent: joint.name, title: joint.name }), sliders[k]!.slider, sliders[k]!.out,
      ...[-1, 1].map((sign) => make('button', {
        textContent: sign < 0 ? '−' : '+', disabled: joint.follows, title: `${joint.name} by one step; hold to move at the jog speed`,
        ...whileHeld(studio, {
          step: () => by(k, sign * Number(jointStep.value)),
          move: (seconds) => by(k, sign * seconds * (override / 100) * joint.speed * (sliders[k]!.degrees ? DEGREES : 1000)),
        }),
      }, [], { 'aria-label': `${joint.name} ${sign < 0 ? 'minus' : 'plus'} one step`, 'data-step': `${joint.name}${sign}` })),
    ]));
    const size = make('input', { type: 'number', min: '0', step: 'any', value: '10' }, [], { 'aria-label': 'Step of the tool' });
    const angle = make('input', { type: 'number', min: '0', step: 'any', value: '5' }, [], { 'aria-label': 'Rotation of the tool' });
    const frame = choice(['world', 'tool'], studio.isToolFrame ? 'tool' : 'world', (value) => {
      studio.isToolFrame = value === 'tool';
      studio.draw();
    }, 'Axes of the tool steps');
    /** Along or about an axis, in metres or degrees. */
    const shift = (turns: boolean, axis: number, value: number) => {
      const by = [0, 0, 0];
      by[axis] = value;
      studio.jog({ do: 'jog_tool', step: turns ? [0, 0, 0] : by, turn_deg: turns ? by : [0, 0, 0], frame: studio.isToolFrame ? 'tool' : 'world' });
    };
    const along = (turns: boolean) => ['x', 'y', 'z'].flatMap((axis, k) => [-1, 1].map((sign) => make('button', {
      textContent: `${turns ? '↻' : ''}${axis} ${sign < 0 ? '−' : '+'}`, title: 'By one step; hold to move at the jog speed',
      ...whileHeld(studio, {
        step: () => shift(turns, k, turns ? sign * Number(angle.value) : (sign * Number(size.value)) / 1000),
        move: (seconds) => shift(turns, k, sign * seconds * (override / 100) * (turns ? robot.turn_speed * DEGREES : robot.tool_speed)),
      }),
    }, [], { 'data-tool': `${turns ? 'turn-' : ''}${axis}${sign}`, 'aria-label': `${turns ? 'Rotate about' : 'Move along'} ${axis}, ${sign < 0 ? 'negative' : 'positive'}` })));
    toolModes = (['translate', 'rotate'] as const).map((mode) => make('button', {
      textContent: mode === 'translate' ? 'Move' : 'Rotate', title: `${mode === 'translate' ? 'Move' : 'Rotate'} the tool with the gizmo in the view, as far as collision-free`,
      onclick: () => studio.setToolGizmo(studio.toolGizmo === mode ? null : mode),
    }, [], { 'data-tool-gizmo': mode, 'aria-pressed': String(studio.toolGizmo === mode) }));
    const name = make('input', { type: 'text', placeholder: 'name', maxLength: 15 }, [], { 'aria-label': 'Name of the location' });
    const stored = choice(robot.tools, robot.tools[0] ?? '', () => {}, 'Stored tool');
    const useTool = make('button', { textContent: 'Use', title: 'Set the tool of the robot to this frame on the flange', onclick: () => studio.say({ do: 'use_tool', name: stored.value }) }, [], { 'data-run': 'use-tool' });
    if (document.activeElement !== text) text.value = robot.program;
    body.replaceChildren(
      live, tool,
      make('fieldset', {}, [make('legend', { textContent: 'Program' }),
        make('div', { className: 'row' }, [
          make('button', { textContent: 'Run', className: 'do', title: 'Prove every motion, then play it', onclick: () => run('play') }, [], { 'data-run': 'run' }),
          make('button', { textContent: 'Pause', title: 'Pause or continue (space)', onclick: pause }, [], { 'data-run': 'pause' }),
          make('button', { textContent: 'Step', title: 'To the next instruction', onclick: step }, [], { 'data-run': 'step' }),
          make('button', { textContent: 'Run to cursor', onclick: toCursor }, [], { 'data-run': 'cursor' }),
        ]),
        programs.root,
        make('div', { className: 'editor' }, [gutter, make('div', { className: 'sheet' }, [picture, text])]),
        errors, signals,
      ]),
      swept.root,
      make('fieldset', {}, [make('legend', { textContent: 'Joints, as far as collision-free' }), ...rows, field('Step (° or mm)', jointStep), field('Jog speed', speed)]),
      ...(robot.states.length ? [make('fieldset', {}, [make('legend', { textContent: 'Named states, as far as collision-free' }), make('ul', { className: 'plays locations' }, robot.states.map(([group, state]) => make('li', {}, [
        make('span', {}, [state, make('span', { className: 'soft', textContent: `  ${group}` })]),
        make('button', { textContent: 'Go', onclick: () => studio.jog({ do: 'state', group, name: state }) }, [], { 'aria-label': `Go to ${state} of ${group}`, 'data-state': state }),
      ])))])] : []),
      make('fieldset', {}, [make('legend', { textContent: 'Tool, as far as collision-free' }),
        ...(robot.tools.length > 0 ? [field('Stored tool', make('div', { className: 'row' }, [stored, useTool]))] : []),
        field('Axes', frame), field('In the view', make('div', { className: 'row' }, toolModes)), field('Step (mm)', size), make('div', { className: 'six' }, along(false)),
        field('Angle (°)', angle), make('div', { className: 'six' }, along(true)),
      ]),
      make('fieldset', {}, [make('legend', { textContent: 'Locations' }), locations,
        make('div', { className: 'row' }, [name, make('button', { textContent: 'Teach', title: 'Keep the pose of the tool under this name', onclick: () => teach(name.value, false) }, [], { 'data-run': 'teach' }),
          make('button', { textContent: 'Precision point', title: 'Keep the joint values under this name; programs write #name', onclick: () => teach(name.value, true) }, [], { 'data-run': 'teach-point' })]),
      ]),
      make('fieldset', {}, [make('legend', { textContent: 'IK branches' }), make('button', { textContent: 'Show', onclick: () => studio.say({ do: 'branches' }) }, [], { 'data-run': 'branches' }), branches]),
      ...(isEditable(studio) ? [robotEntries(studio)] : []),
      make('details', { className: 'dh' }, [make('summary', { className: 'fold', textContent: 'DH parameters' }), dhTable(robot.dh)]),
    );
    swept.fill();
    fillLocations();
    numbers();
    showErrors();
  };
  /** Displays the joints and the tool at a time of a run: the same moment as the view. */
  const showArm = (time: number) => {
    const { track, robot } = studio;
    const count = robot?.joints.length ?? 0;
    if (!track || !count || track.joints.length < count) return;
    const next = track.times.findIndex((known) => known >= time);
    const frame = next < 0 ? track.times.length - 1 : next;
    for (let k = 0; k < count; k++) showJoint(k, track.joints[frame * count + k]!);
    const at = track.tool.slice(3 * frame, 3 * frame + 3);
    if (at.length === 3) tool.textContent = `Tool at ${at.map((x) => (x * 1000).toFixed(1)).join(', ')} mm`;
    live.textContent = '';
  };
  /** Displays the program line and the signals at a time. */
  const follow = (time: number) => {
    const at = lines().findLast(([start]) => start <= time + 1e-9);
    if (at && at[1] !== current) {
      current = at[1];
      paint();
      // Vertical scrolling only.
      const editor = text.closest('.editor');
      if (editor) editor.scrollTop = Math.max(0, (current - 1) * 18 - editor.clientHeight / 2);
      if (breakpoints.has(current) && time > 0) studio.timeline?.stop();
      document.body.dataset.line = String(current);
    }
    showArm(time);
    const now = new Map<string, boolean>();
    for (const [when, signal, on, output] of studio.track?.signals ?? []) if (when <= time + 1e-9) now.set(`${output ? 'out' : 'in'} ${signal}`, on);
    signals.replaceChildren(...[...now].map(([signal, on]) => make('span', { className: on ? 'on' : '', textContent: signal })));
  };
  const swept = sweptSection(studio);
  let filled = false;
  /** Locations are drawn in the view while this panel is open. */
  const showFrames = () => studio.viewer.setFrames(root.isConnected ? (studio.robot?.locations ?? []).map(({ name, at, turn }) => ({ name: name.toLowerCase(), at, turn })) : []);
  return {
    root,
    update: (what) => {
      if (['hello', 'robot', 'open', 'close'].includes(what)) showFrames();
      if (what === 'hello' || (what === 'open' && !filled)) {
        filled = true;
        fill();
      }
      if (what === 'robot') {
        fillLocations();
        showErrors();
      }
      if (what === 'swept') swept.fill();
      if (what === 'jogged') numbers();
      if (what === 'tool') for (const button of toolModes) button.setAttribute('aria-pressed', String(button.dataset.toolGizmo === studio.toolGizmo));
      if (what === 'branches') fillBranches();
      if (what === 'program') {
        if (studio.robot && document.activeElement !== text) text.value = studio.robot.program;
        showErrors();
      }
      if (what === 'track' && !studio.timeline) {
        numbers();
        paint();
      }
      if (what === 'track' && studio.timeline && studio.robot) {
        ranText = text.value;
        studio.timeline.onTime = follow;
        follow(0);
        paint();
        if (typeof then === 'number') goToLine(then);
        else if (then === 'play' || lines().length === 0) studio.timeline.toggle();
        then = 'wait';
      }
    },
  };
}
