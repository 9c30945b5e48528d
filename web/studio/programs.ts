import { make } from 'noli-viewer';

/** A program in the text of a file. The first one runs. */
export interface ProgramText {
  name: string;
  /** Its lines; the first has its heading. */
  lines: string[];
  /** Number of its first line. */
  line: number;
  /** Statements without a heading are a program MAIN. */
  isBare: boolean;
}

const NAME = '([A-Za-z][\\w.]*)';
const HEADING = new RegExp(`^\\s*(?:\\.PROGRAM|MAIN\\s+PROGRAM|PROGRAM|EDIT)\\s+${NAME}`, 'i');
const END = /^\s*(\.END\b|E\s*(;|$))/i;
const isEmpty = (line: string) => /^\s*(;|$)/.test(line);

/** Programs of a text, with the comments before their headings. */
export function programsOf(text: string): ProgramText[] {
  const found: ProgramText[] = [];
  let open: ProgramText | null = null;
  let above: string[] = [];
  text.split('\n').forEach((line, k) => {
    const name = HEADING.exec(line)?.[1];
    if (name !== undefined) {
      // Comments right above a heading are about its program.
      while (open && open.lines.length > 1 && isEmpty(open.lines.at(-1)!)) above.unshift(open.lines.pop()!);
      open = { name, lines: [...above, line], line: k + 1, isBare: false };
      found.push(open);
      above = [];
    } else if (open) {
      open.lines.push(line);
      if (END.test(line)) open = null;
    } else if (isEmpty(line)) {
      above.push(line);
    } else {
      open = { name: 'main', lines: [...above, line], line: k + 1, isBare: true };
      found.push(open);
      above = [];
    }
  });
  found.at(-1)?.lines.push(...above);
  return found;
}

/** The text of programs. Next to others, each has a heading, so that any order reads the same. */
function textOf(programs: ProgramText[]): string {
  const whole = (program: ProgramText) => {
    const lines = [...program.lines];
    while (lines.length > 0 && lines.at(-1)!.trim() === '') lines.pop();
    if (programs.length < 2) return lines;
    if (program.isBare) return [`.PROGRAM ${program.name}()`, ...lines, '.END'];
    return lines;
  };
  return `${programs.map((program) => whole(program).join('\n').replace(/^\n+/, '')).join('\n\n')}\n`;
}

const same = (one: string, other: string) => one.toUpperCase() === other.toUpperCase();

/** Adds an empty program at the end. */
export function added(text: string, name: string): string {
  const known = programsOf(text);
  const fresh: ProgramText = { name, lines: [`.PROGRAM ${name}()`, '    ; statements', '.END'], line: 0, isBare: false };
  return textOf([...known, fresh]);
}

export function removed(text: string, name: string): string {
  return textOf(programsOf(text).filter((program) => !same(program.name, name)));
}

/** Puts a program first: the first one runs. */
export function chosen(text: string, name: string): string {
  const known = programsOf(text);
  return textOf([...known.filter((program) => same(program.name, name)), ...known.filter((program) => !same(program.name, name))]);
}

/** Renames a program, also where others call it. */
export function renamed(text: string, from: string, to: string): string {
  const escaped = from.replace(/[.]/g, '\\.');
  const call = new RegExp(`\\b(CALL\\s+|REACTI?\\b[^,;]*,\\s*)${escaped}(?![\\w.])`, 'gi');
  const inCode = (line: string) => {
    const comment = line.indexOf(';');
    const code = comment < 0 ? line : line.slice(0, comment);
    return code.replace(call, `$1${to}`) + (comment < 0 ? '' : line.slice(comment));
  };
  const known = programsOf(text).map((program) => {
    const isIt = same(program.name, from);
    const lines = program.lines.map((line) => (isIt && HEADING.test(line) ? line.replace(new RegExp(`(\\s)${escaped}`, 'i'), `$1${to}`) : inCode(line)));
    return isIt ? { ...program, name: to, lines: program.isBare ? [`.PROGRAM ${to}()`, ...lines, '.END'] : lines, isBare: false } : { ...program, lines };
  });
  return textOf(known);
}

/** What the list needs of the editor. */
export interface Editor {
  text: () => string;
  /** Replaces the text as one change. */
  set: (text: string) => void;
  /** Shows a line. */
  go: (line: number) => void;
  note: (text: string, help: string) => void;
}

/** The list of programs: which one runs, new, rename, delete. */
export function programList(editor: Editor): { root: HTMLElement; fill: () => void } {
  const list = make('ul', { className: 'plays locations programs' });
  const name = make('input', { type: 'text', placeholder: 'name', maxLength: 15 }, [], { 'aria-label': 'Name of the program' });
  const root = make('div', {}, [list, make('div', { className: 'row' }, [name, make('button', { textContent: 'New', title: 'Add an empty program', onclick: () => add() }, [], { 'data-program': 'new' })])]);
  let renaming: string | null = null;
  const refused = (to: string, but = '') => {
    if (!/^[A-Za-z][\w.]{0,14}$/.test(to)) editor.note(`“${to}” is no name of a program.`, 'Begin with a letter; at most 15 letters, digits, dots and underscores');
    else if (programsOf(editor.text()).some((program) => same(program.name, to) && !same(program.name, but))) editor.note(`There is a program ${to} already.`, 'Give another name');
    else return false;
    return true;
  };
  const add = () => {
    const fresh = name.value.trim();
    if (refused(fresh)) return;
    editor.set(added(editor.text(), fresh));
    name.value = '';
    editor.go(programsOf(editor.text()).at(-1)!.line);
  };
  const field = (from: string) => {
    const input = make('input', { type: 'text', value: from, maxLength: 15 }, [], { 'aria-label': `New name of the program ${from}`, 'data-program-name': from });
    const end = (isKept: boolean) => {
      if (renaming === null) return;
      renaming = null;
      const to = input.value.trim();
      if (isKept && to !== from && !refused(to, from)) editor.set(renamed(editor.text(), from, to));
      fill();
    };
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' || event.key === 'Escape') end(event.key === 'Enter');
    });
    input.addEventListener('blur', () => end(true));
    return input;
  };
  const row = (program: ProgramText, k: number, count: number) => {
    if (renaming === program.name) return make('li', {}, [field(program.name)]);
    return make('li', {}, [
      make('input', { type: 'radio', name: 'program', checked: k === 0, onchange: () => editor.set(chosen(editor.text(), program.name)) }, [], { 'aria-label': `Run ${program.name}`, 'data-program-run': program.name }),
      make('button', { className: 'pick', title: `Show ${program.name} in the editor`, onclick: () => editor.go(program.line) }, [program.name, make('span', { className: 'soft', textContent: k === 0 ? '  runs' : '' })], { 'data-program-show': program.name }),
      make('button', { textContent: '✎', title: `Rename ${program.name}, also where it is called`, onclick: () => {
        renaming = program.name;
        fill();
        list.querySelector<HTMLInputElement>('[data-program-name]')?.select();
      } }, [], { 'aria-label': `Rename ${program.name}`, 'data-program-rename': program.name }),
      make('button', { textContent: '×', disabled: count < 2, title: `Delete ${program.name}`, onclick: () => editor.set(removed(editor.text(), program.name)) }, [], { 'aria-label': `Delete ${program.name}`, 'data-program-delete': program.name }),
    ]);
  };
  let drawn = '';
  const fill = () => {
    const known = programsOf(editor.text());
    const state = JSON.stringify([known.map(({ name: one, line }) => [one, line]), renaming]);
    if (state === drawn) return;
    drawn = state;
    list.replaceChildren(...known.map((program, k) => row(program, k, known.length)));
  };
  return { root, fill };
}
