import { make } from 'noli-viewer';
import { GLOSSARY, KEYS, LESSONS, PANELS, type Lessons } from './help';
import { facts, heading, type Panel } from './parts';
import { originOf } from './pose';
import type { Studio } from './studio';

export function lessonsPanel(studio: Studio, show: (panel: string) => void): Panel {
  const body = make('div', {});
  const root = make('div', { className: 'pane' }, [heading('Lessons'), body]);
  let lesson: number | null = null;
  let step = 0;
  let jumpsBefore = 0;
  /** Body numbers increase: bodies created since the lesson began have the larger ones. */
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
      ...LESSONS.map(({ title, about, needs }, number) => make('button', {
        hidden: needs !== undefined && !studio.hello?.panels[needs],
        className: `lesson-pick${lesson === number ? ' chosen' : ''}`,
        onclick: () => {
          [lesson, step] = [number, 0];
          studio.lastStop = null;
          studio.treeWalks.clear();
          jumpsBefore = studio.jumps;
          bodiesBefore = studio.bodies.length;
          studio.robotDid.clear();
          // Branches displayed before the lesson do not count.
          studio.branches = [];
          studio.onChange('branches');
          fill();
          follow();
        },
      }, [make('strong', { textContent: title }), make('span', { className: 'soft', textContent: about })], { 'data-lesson': String(number) })),
      make('h3', { textContent: 'Glossary' }),
      make('dl', { className: 'glossary' }, facts(GLOSSARY)),
    );
  };
  /** The steps stay visible with any panel. */
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
      make('p', { textContent: over ? `Lesson completed.${studio.edits.undo ? ' Undo reverts your changes.' : ''}` : now!.text }),
      now?.action ? make('button', { className: 'do', textContent: now.action.label, onclick: () => now.action!.run(seen) }) : '',
    );
    document.getElementById('stage')!.append(card);
  };
  fill();
  return { root, update: (what) => {
    if (what === 'hello') fill();
    if (what !== 'drag' || studio.stopped) follow();
  } };
}

/** Fills the help dialog. */
export function fillHelp(dialog: HTMLDialogElement): void {
  const list = (entries: [string, string][]) => make('dl', {}, facts(entries));
  dialog.replaceChildren(
    make('form', { method: 'dialog' }, [make('button', { className: 'close', textContent: '×' }, [], { 'aria-label': 'Close' })]),
    make('h2', { textContent: 'The studio' }),
    make('p', { textContent: 'Drag to orbit, right-drag to pan, wheel to zoom. Click a body to select it, then drag it: it stops at contact. Every verdict on the page is computed and proven by noli.' }),
    make('h3', { textContent: 'Keys' }), list(KEYS),
    make('h3', { textContent: 'Panels' }), list(Object.entries(PANELS)),
    make('h3', { textContent: 'Glossary' }), list(GLOSSARY),
  );
}
