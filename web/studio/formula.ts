import { make, short } from 'noli-viewer';
import { heading, type Panel } from './parts';
import type { Studio } from './studio';

/** Example formulas, scaled to the scene. */
const EXAMPLES: [string, (size: number) => string][] = [
  ['torus', (s) => `torus(${short(s, 3)}, ${short(s / 4, 3)})`],
  ['blend of two spheres', (s) => `blend(sphere(${short(s * 0.7, 3)}), move(sphere(${short(s * 0.5, 3)}), ${short(s * 0.9, 3)}, 0, 0), ${short(s * 0.4, 3)})`],
  ['cube with a bore', (s) => `difference(cuboid(${short(s, 3)}, ${short(s, 3)}, ${short(s, 3)}), x^2 + y^2 - ${short(s * s * 0.3, 3)})`],
  ['gyroid', (s) => `k = ${short(4 / s, 3)}\ng = sin(k*x)*cos(k*y) + sin(k*y)*cos(k*z) + sin(k*z)*cos(k*x)\nintersection(sphere(${short(s, 3)}), abs(g) - 0.3)`],
];

/** Bodies given by formulas, meshed while typing. */
export function formulaPanel(studio: Studio): Panel {
  const text = make('textarea', { className: 'formula', spellcheck: false, rows: 6 }, [], { 'aria-label': 'Formula' });
  const within = make('input', { type: 'number', min: '0', step: 'any', placeholder: 'none' }, [], { 'aria-label': 'Bounds' });
  const message = make('p', { className: 'live' }, [], { 'aria-live': 'polite' });
  const what = make('p', { className: 'soft' });
  const button = make('button', { className: 'do', textContent: 'Create body', onclick: () => send(null) }, [], { 'data-formula': 'make' });
  const examples = make('select', {
    onchange: () => {
      const found = EXAMPLES[Number(examples.value)];
      if (!found) return;
      text.value = found[1](Number((100 / (studio.hello?.scale ?? 1) / 12).toPrecision(1)));
      examples.value = '';
      typed();
    },
  }, [make('option', { value: '', textContent: 'Examples …' }), ...EXAMPLES.map(([name], k) => make('option', { value: String(k), textContent: name }))], { 'aria-label': 'Examples' });
  const root = make('div', { className: 'pane' }, [
    heading('Formula'), what, examples, text,
    make('label', { className: 'field' }, [make('span', { textContent: 'Bounds ±' }), within]),
    message, make('div', { className: 'row' }, [button]),
  ]);
  let waiting: number | undefined;
  const formulaOf = (body: number | null) => (body === null ? null : studio.bodies[body]?.formula ?? null);
  const send = (body: number | null) => {
    const reach = Number(within.value);
    const bounds = within.value === '' || !(reach > 0) ? null : [[-reach, -reach, -reach], [reach, reach, reach]];
    studio.say({ do: 'formula', body, formula: { text: text.value, bounds } });
  };
  const typed = () => {
    clearTimeout(waiting);
    if (formulaOf(studio.chosen)) waiting = setTimeout(() => send(studio.chosen), 250) as unknown as number;
  };
  text.oninput = typed;
  within.oninput = typed;
  let shownFor: number | null = null;
  const fill = () => {
    const formula = formulaOf(studio.chosen);
    what.textContent = formula
      ? `The formula of ${studio.nameOf(studio.chosen!)}; changes apply while you type.`
      : 'A body is the set where a function of x, y and z is zero or negative. Type one, or select an example.';
    button.textContent = formula ? 'Create another body' : 'Create body';
    if (formula && (shownFor !== studio.chosen || document.activeElement !== text)) {
      text.value = formula.text;
      within.value = formula.bounds ? String(formula.bounds[1][0]) : '';
    }
    shownFor = formula ? studio.chosen : null;
  };
  return {
    root,
    update: (change) => {
      if (['hello', 'bodies', 'chosen', 'open'].includes(change)) fill();
      if (change === 'formula' && studio.formula) {
        const { body, error } = studio.formula;
        message.textContent = (error && /not proven to end/.test(error) ? `${error}: enter bounds above.` : error) || (body === null ? '' : `${studio.nameOf(body)}: ${studio.bodies[body]?.kind ?? ''}`);
        message.classList.toggle('stop', error !== '');
        if (!error && body !== null && studio.chosen !== body) studio.choose(body);
      }
    },
  };
}
