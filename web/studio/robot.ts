import { COLOURS, make, short } from 'noli-viewer';
import { dhTable, heading, type Panel } from './parts';
import type { Studio } from './studio';

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
  let sliders: { slider: HTMLInputElement; out: HTMLOutputElement; degrees: boolean }[] = [];
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
  let waiting: number | undefined;
  const paint = () => {
    const lines = text.value.split('\n');
    const wrong = new Set(studio.errors.map(([line]) => line));
    picture.innerHTML = lines.map((line, k) => `<span class="${k + 1 === current ? 'current' : ''}${wrong.has(k + 1) ? ' wrong' : ''}">${coloured(line) || ' '}</span>`).join('\n');
    gutter.replaceChildren(...lines.map((_, k) => make('button', {
      className: `${breakpoints.has(k + 1) ? 'break' : ''}${k + 1 === current ? ' current' : ''}`, textContent: String(k + 1), title: 'Breakpoint',
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
  /** The program text of the displayed run. */
  let ranText = '';
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

  const slide = () => {
    const values = sliders.map(({ slider, degrees }) => Number(slider.value) / (degrees ? DEGREES : 1000));
    studio.jog({ do: 'jog', values });
  };
  const numbers = () => {
    studio.robot?.joints.forEach((joint, k) => {
      const row = sliders[k];
      if (!row) return;
      const value = joint.value * (row.degrees ? DEGREES : 1000);
      if (document.activeElement !== row.slider || studio.jogged?.stopped) row.slider.value = String(value);
      row.out.textContent = `${short(Number(value.toFixed(2)), 5)}${row.degrees ? '°' : ' mm'}`;
    });
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
    return make('li', {}, [
      make('span', {}, [name, make('span', { className: 'soft', textContent: location.taught ? '  taught' : '' })]),
      make('button', { textContent: 'Zoom to', onclick: () => {
        studio.viewer.setMarks([{ at: location.at, colour: COLOURS.second }]);
        studio.viewer.lookAt(location.at, 8);
      } }, [], { 'aria-label': `Zoom to ${name}` }),
      make('button', { textContent: 'Go', title: 'Move the tool there, as far as collision-free', onclick: () => studio.jog({ do: 'go', location: name }) }, [], { 'aria-label': `Go to ${name}`, 'data-go': name }),
      make('button', { textContent: 'MOVE', title: 'Insert MOVE below the cursor', onclick: () => insert(`MOVE ${name}`) }, [], { 'aria-label': `Insert MOVE ${name}`, 'data-move': name }),
    ]);
  }));
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
      return { slider, out: make('output', {}), degrees };
    });
    const rows = robot.joints.map((joint, k) => make('div', { className: 'joint' }, [make('span', { textContent: joint.name, title: joint.name }), sliders[k]!.slider, sliders[k]!.out]));
    const size = make('input', { type: 'number', min: '0', step: 'any', value: '10' }, [], { 'aria-label': 'Step of the tool' });
    const arrows = ['x', 'y', 'z'].flatMap((axis, k) => [-1, 1].map((sign) => make('button', {
      textContent: `${axis} ${sign < 0 ? '−' : '+'}`,
      onclick: () => {
        const by = [0, 0, 0];
        by[k] = (sign * Number(size.value)) / 1000;
        studio.jog({ do: 'jog_tool', step: by, turn_deg: [0, 0, 0] });
      },
    }, [], { 'data-tool': `${axis}${sign}` })));
    const name = make('input', { type: 'text', placeholder: 'name', maxLength: 15 }, [], { 'aria-label': 'Name of the location' });
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
        make('div', { className: 'editor' }, [gutter, make('div', { className: 'sheet' }, [picture, text])]),
        errors, signals,
      ]),
      make('fieldset', {}, [make('legend', { textContent: 'Joints, as far as collision-free' }), ...rows]),
      ...(robot.states.length ? [make('fieldset', {}, [make('legend', { textContent: 'Named states, as far as collision-free' }), make('ul', { className: 'plays locations' }, robot.states.map(([group, state]) => make('li', {}, [
        make('span', {}, [state, make('span', { className: 'soft', textContent: `  ${group}` })]),
        make('button', { textContent: 'Go', onclick: () => studio.jog({ do: 'state', group, name: state }) }, [], { 'aria-label': `Go to ${state} of ${group}`, 'data-state': state }),
      ])))])] : []),
      make('fieldset', {}, [make('legend', { textContent: 'Tool in the world (mm)' }), make('label', { className: 'field' }, [make('span', { textContent: 'Step' }), size]), make('div', { className: 'six' }, arrows)]),
      make('fieldset', {}, [make('legend', { textContent: 'Locations' }), locations,
        make('div', { className: 'row' }, [name, make('button', { textContent: 'Teach', onclick: () => studio.say({ do: 'teach', name: name.value }) }, [], { 'data-run': 'teach' })]),
      ]),
      make('fieldset', {}, [make('legend', { textContent: 'IK branches' }), make('button', { textContent: 'Show', onclick: () => studio.say({ do: 'branches' }) }, [], { 'data-run': 'branches' }), branches]),
      make('details', { className: 'dh' }, [make('summary', { className: 'fold', textContent: 'DH parameters' }), dhTable(robot.dh)]),
    );
    fillLocations();
    numbers();
    paint();
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
    const now = new Map<string, boolean>();
    for (const [when, signal, on, output] of studio.track?.signals ?? []) if (when <= time + 1e-9) now.set(`${output ? 'out' : 'in'} ${signal}`, on);
    signals.replaceChildren(...[...now].map(([signal, on]) => make('span', { className: on ? 'on' : '', textContent: signal })));
  };
  let filled = false;
  return {
    root,
    update: (what) => {
      if (what === 'hello' || (what === 'open' && !filled)) {
        filled = true;
        fill();
      }
      if (what === 'robot') fillLocations();
      if (what === 'jogged') numbers();
      if (what === 'branches') fillBranches();
      if (what === 'program') {
        if (studio.robot && document.activeElement !== text) text.value = studio.robot.program;
        showErrors();
      }
      if (what === 'track' && studio.timeline && studio.robot) {
        ranText = text.value;
        studio.timeline.onTime = follow;
        follow(0);
        if (typeof then === 'number') goToLine(then);
        else if (then === 'play') studio.timeline.toggle();
        then = 'wait';
      }
    },
  };
}
