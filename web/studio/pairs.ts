import { commonBeginning, make, nameElement } from 'noli-viewer';
import { facts, field, heading, type Panel } from './parts';
import type { Studio } from './studio';
import type { PatternRule } from './types';

/** Above so many bodies the whole matrix is no help any more. */
const MOST_ROWS = 60;

/** Pairs of one body that are listed; those that are hit or left out come first. */
const MOST_LISTED = 500;

/** The participation matrix, and rules by names. */
export function pairsPanel(studio: Studio): Panel {
  const body = make('div', {});
  const margin = make('input', { type: 'number', min: '0', step: 'any', onchange: () => studio.say({ do: 'margin', value: Number(margin.value) }) }, [], { 'aria-label': 'Margin' });
  const root = make('div', { className: 'pane' }, [heading('Pairs'), body]);
  const pointed = make('p', { className: 'pointed soft' }, [], { 'aria-live': 'polite' });
  const names = make('datalist', { id: 'names' });
  const pattern = (label: string) => {
    const made = make('input', { type: 'text', placeholder: 'e.g. hose*' }, [], { 'aria-label': label });
    made.setAttribute('list', 'names');
    return made;
  };
  const [one, other] = [pattern('One side of the rule'), pattern('Other side of the rule')];
  const reach = make('input', { type: 'number', min: '0', step: 'any', hidden: true, value: '1' }, [], { 'aria-label': 'Margin of the rule' });
  const kind = make('select', { onchange: () => (reach.hidden = kind.value === 'off') }, [
    make('option', { value: 'off', textContent: 'leave out' }), make('option', { value: 'margin', textContent: 'margin' }),
  ], { 'aria-label': 'What the rule says' });
  const add = make('button', {
    textContent: 'Add', onclick: () => {
      const rule: PatternRule = { a: one.value.trim(), b: other.value.trim() || '*', margin: kind.value === 'off' ? null : Number(reach.value) };
      if (!rule.a) return studio.onNote('Whom is the rule about?', 'Name a body, or several with *, such as hose*.');
      studio.say({ do: 'pattern', rule, on: true });
    },
  }, [], { 'data-rule': 'add' });
  const rules = make('ul', { className: 'plays' });
  const key = (a: number, b: number) => (a < b ? `${a},${b}` : `${b},${a}`);

  const ofCell = () => {
    const { asked, off } = studio.robot!;
    body.replaceChildren(
      make('p', { textContent: `${asked} pairs are asked about wherever the arm stands; ${off.length} are not, each for a reason.` }),
      make('dl', { className: 'glossary' }, facts(off.slice(0, 500).map(([a, b, why]) => [`${a} – ${b}`, why]))),
      make('p', { className: 'soft', textContent: 'The file of the cell says more: [collisions] skip and margins.' }),
    );
  };
  const ofScene = () => {
    if (document.activeElement !== margin) margin.value = String(studio.rules.margin);
    const there = studio.bodies.map((_, number) => number).filter((number) => !studio.bodies[number]!.gone);
    const hand = new Map(studio.rules.by_hand.map(([a, b, on]) => [key(a, b), on]));
    const off = new Set(studio.rules.off.map(([a, b]) => key(a, b)));
    const found = new Map((studio.results?.pairs ?? []).filter((pair) => pair.hit).map((pair) => [key(pair.a, pair.b), pair]));
    const common = commonBeginning(studio.bodies.map((entry) => entry.name));
    const cell = (a: number, b: number) => {
      const by = hand.get(key(a, b));
      const isOff = off.has(key(a, b));
      const hit = found.get(key(a, b));
      const why = by !== undefined ? 'by hand' : 'by a rule or the scene';
      const says = `${studio.nameOf(a)} – ${studio.nameOf(b)}: ${isOff ? `left out ${why}` : hit ? hit.says : by ? 'asked about by hand' : 'asked about'}`;
      const tell = () => (pointed.textContent = says);
      const button = make('button', {
        className: `cell${isOff ? ' off' : ''}${by !== undefined ? ' hand' : ''}`, title: says, textContent: isOff ? '×' : hit ? '●' : '·',
        onclick: () => studio.say({ do: 'pair', a, b, on: by === undefined ? isOff : null }), onmouseenter: tell, onfocus: tell,
      }, [], { 'aria-label': says, 'aria-pressed': String(!isOff), 'data-cell': `${studio.nameOf(a)}|${studio.nameOf(b)}` });
      if (hit && !isOff) button.style.color = `var(--${hit.relation})`;
      return make('td', {}, [button]);
    };
    const { chosen } = studio;
    const others = chosen === null ? [] : there.filter((b) => b !== chosen);
    const isSpecial = (b: number) => Number(hand.has(key(chosen!, b)) || off.has(key(chosen!, b)) || found.has(key(chosen!, b)));
    if (others.length > MOST_LISTED) others.sort((b, c) => isSpecial(c) - isSpecial(b));
    const more = others.length > MOST_LISTED ? [make('p', { className: 'soft', textContent: `and ${others.length - MOST_LISTED} more, which are asked about like all others; a rule above names them` })] : [];
    const name = (number: number) => make('th', { scope: 'row' }, [nameElement(studio.nameOf(number), common)]);
    const matrix = chosen !== null
      ? make('table', { className: 'pair-list' }, others.slice(0, MOST_LISTED).map((b) => make('tr', {}, [cell(chosen, b), name(b)])))
      : there.length > MOST_ROWS
        ? make('p', { className: 'empty', textContent: `There are ${there.length} bodies: choose one to see its pairs, or say rules about names.` })
        : make('div', { className: 'matrix-frame' }, [make('table', { className: 'matrix' }, there.map((a, k) => make('tr', {}, [name(a), ...there.slice(0, k).map((b) => cell(a, b))])))]);
    names.replaceChildren(...[...new Set(there.flatMap((number) => {
      const full = studio.nameOf(number);
      return [full, `${full.split(/[./]/)[0]}*`];
    }))].slice(0, 400).map((value) => make('option', { value })));
    rules.replaceChildren(...studio.rules.patterns.map((rule) => make('li', {}, [
      make('span', { textContent: `${rule.a} – ${rule.b}: ${rule.margin === null ? 'left out' : `margin ${rule.margin} ${studio.hello?.unit ?? ''}`}` }),
      make('button', { textContent: '×', className: 'close', onclick: () => studio.say({ do: 'pattern', rule, on: false }) }, [], { 'aria-label': `Take back the rule about ${rule.a} and ${rule.b}` }),
    ])));
    body.replaceChildren(
      field(`Margin ${studio.hello?.unit ?? ''}`, margin),
      make('fieldset', {}, [make('legend', { textContent: 'Rules by name' }), rules,
        make('div', { className: 'rule' }, [one, other, kind, reach, add]), names]),
      make('p', { className: 'soft', textContent: `${studio.rules.off.length} pairs left out, ${studio.rules.by_hand.length} set by hand${chosen === null ? '' : `; those of ${studio.nameOf(chosen)}`}:` }),
      pointed, matrix, ...more,
    );
  };
  return {
    root,
    update: (what) => {
      if (what === 'open' || (root.isConnected && ['hello', 'rules', 'results', 'bodies', 'chosen', 'robot'].includes(what))) (studio.robot ? ofCell : ofScene)();
    },
  };
}
