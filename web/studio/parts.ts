import { make } from 'noli-viewer';
import { PANELS } from './help';
import type { Dh } from './types';

/** A panel and its update function. */
export interface Panel {
  root: HTMLElement;
  update: (what: string) => void;
}

export function dot(relation: string): HTMLElement {
  const made = make('span', { className: 'dot' });
  made.style.setProperty('--of', `var(--${relation})`);
  return made;
}

/** A heading with its help behind a question mark. */
export function heading(title: string): HTMLElement {
  const help = make('p', { className: 'help', textContent: PANELS[title] ?? '', hidden: true });
  const button = make('button', {
    className: 'what', textContent: '?', title: `Help: ${title}`,
    onclick: () => {
      help.hidden = !help.hidden;
      button.setAttribute('aria-expanded', String(!help.hidden));
    },
  }, [], { 'aria-label': `Help: ${title}`, 'aria-expanded': 'false' });
  return make('div', { className: 'heading' }, [make('h2', { textContent: title }), button, help]);
}

export function field(label: string, input: HTMLElement): HTMLElement {
  return make('label', { className: 'field' }, [make('span', { textContent: label }), input]);
}

export function choice(options: string[], value: string, change: (value: string) => void, label: string): HTMLSelectElement {
  const made = make('select', { onchange: () => change(made.value) }, [], { 'aria-label': label });
  for (const option of options) made.append(make('option', { value: option, textContent: option, selected: option === value }));
  return made;
}

export function facts(entries: [string, string][]): HTMLElement[] {
  return entries.flatMap(([term, text]) => [make('dt', { textContent: term }), make('dd', { textContent: text })]);
}

/** The Denavit–Hartenberg parameters, or the reason why there are none. */
export function dhTable(dh: Dh): HTMLElement {
  if (dh.why) return make('p', { className: 'soft', textContent: `None: ${dh.why}.` });
  const rounded = (value: number) => String(Number(value.toFixed(3)));
  return make('div', { className: 'scroll' }, [make('table', { className: 'figures' }, [
    make('thead', {}, [make('tr', {}, ['joint', 'θ °', 'd mm', 'a mm', 'α °'].map((column) => make('th', { textContent: column })))]),
    make('tbody', {}, dh.rows.map(([name, values], k) => make('tr', {}, [
      make('th', { textContent: name, title: name }),
      // The parameter of the joint variable.
      ...values.map((value, column) => make('td', { className: column === (dh.slides[k] ? 1 : 0) ? 'moves' : '', textContent: rounded(value) })),
    ]))),
  ])]);
}
