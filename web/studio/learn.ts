import { make } from 'noli-viewer';
import { GLOSSARY, KEYS, LESSONS, PANELS, type Lessons } from './help';
import { facts, heading, type Panel } from './parts';
import { originOf } from './pose';
import type { Studio } from './studio';

export function learnPanel(studio: Studio, show: (panel: string) => void): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Learn'), body]);
  let lesson: number | null = null;
  let step = 0;
  let jumpsBefore = 0;
  /** Numbers of bodies are given in order, so what was made since the lesson began has the greater ones. */
  let bodiesBefore = 0;
  const fresh = () => studio.bodies.map((_, number) => number).filter((number) => number >= bodiesBefore && !studio.bodies[number]!.gone);
  const seen: Lessons = {
    relationChosen: () => {
      const { pair } = studio;
      const ours = pair !== null && [pair.a, pair.b].every((body) => fresh().includes(body));
      return ours ? pair.relation : null;
    },
    chosenName: () => (studio.chosen === null ? null : studio.nameOf(studio.chosen)),
    made: (which) => (fresh()[which] === undefined ? null : studio.nameOf(fresh()[which]!)),
    stoppedBy: () => studio.lastStop,
    jumped: () => studio.jumps >= jumpsBefore + 2,
    treeLevel: () => (studio.tree ? Number(document.querySelector<HTMLInputElement>('input[aria-label="Level"]')?.value ?? 0) : -1),
    say: (command) => studio.say(command),
    numberOf: (which) => fresh()[which] ?? -1,
    show,
    origin: (which) => {
      const found = studio.bodies[fresh()[which] ?? -1];
      return found && studio.hello ? originOf(found, studio.hello) : null;
    },
    size: () => Number((100 / (studio.hello?.scale ?? 1)).toPrecision(2)),
    walks: () => studio.treeWalks.size,
    modes: () => studio.treeWalks,
    hasRobot: () => studio.robot !== null,
    joint: (number) => studio.robot?.joints[number]?.value ?? 0,
    tool: () => studio.jogged?.tool_at ?? null,
    branches: () => studio.branches.length,
    did: (what) => studio.robotDid.has(what),
  };
  const card = make('section', { className: 'lesson' });
  const fill = () => {
    body.replaceChildren(
      ...LESSONS.map(({ title, about }, number) => make('button', {
        className: `lesson-pick${lesson === number ? ' chosen' : ''}`,
        onclick: () => {
          [lesson, step] = [number, 0];
          studio.lastStop = null;
          studio.treeWalks.clear();
          jumpsBefore = studio.jumps;
          bodiesBefore = studio.bodies.length;
          studio.robotDid.clear();
          // What was looked at before is not done in the lesson.
          studio.branches = [];
          studio.onChange('branches');
          fill();
          follow();
        },
      }, [make('strong', { textContent: title }), make('span', { className: 'soft', textContent: about })], { 'data-lesson': String(number) })),
      make('h3', { textContent: 'Words' }),
      make('dl', { className: 'glossary' }, facts(GLOSSARY)),
    );
  };
  /** The steps stay in sight whatever panel is open. */
  const follow = () => {
    card.remove();
    if (lesson === null) return;
    const { title, steps } = LESSONS[lesson]!;
    while (step < steps.length && steps[step]!.done(seen)) {
      step++;
      jumpsBefore = studio.jumps;
      studio.lastStop = null;
    }
    const over = step >= steps.length;
    const now = steps[step];
    document.body.dataset.lesson = over ? 'done' : `${lesson}.${step}`;
    card.replaceChildren(
      make('button', { className: 'close', textContent: '×', onclick: () => {
        lesson = null;
        fill();
        follow();
      } }, [], { 'aria-label': 'End the lesson' }),
      make('p', { className: 'soft', textContent: `${title} · ${over ? 'done' : `step ${step + 1} of ${steps.length}`}` }),
      make('p', { textContent: over ? `That was it.${studio.edits.undo ? ' Undo takes everything back that you did.' : ''}` : now!.text }),
      now?.action ? make('button', { className: 'do', textContent: now.action.label, onclick: () => now.action!.run(seen) }) : '',
    );
    document.getElementById('stage')!.append(card);
  };
  fill();
  return { root, update: (what) => what !== 'drag' || studio.stopped ? follow() : undefined };
}

/** The help that the question mark above opens. */
export function fillHelp(dialog: HTMLDialogElement): void {
  const list = (entries: [string, string][]) => make('dl', {}, facts(entries));
  dialog.replaceChildren(
    make('form', { method: 'dialog' }, [make('button', { className: 'close', textContent: '×' }, [], { 'aria-label': 'Close' })]),
    make('h2', { textContent: 'The studio' }),
    make('p', { textContent: 'Drag to turn the view, right drag to move it, wheel to zoom. Click a body to choose it, then drag it: it stops where it touches. Everything that the page says about bodies comes from noli, which proves it.' }),
    make('h3', { textContent: 'Keys' }), list(KEYS),
    make('h3', { textContent: 'Panels' }), list(Object.entries(PANELS)),
    make('h3', { textContent: 'Words' }), list(GLOSSARY),
  );
}
