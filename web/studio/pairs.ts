import { commonBeginning, make, nameElement } from 'noli-viewer';
import { cellPairs } from './cell';
import { field, heading, type Panel } from './parts';
import type { Studio } from './studio';
import type { PatternRule } from './types';

/** Above this number of bodies the whole matrix is not displayed. */
const MOST_ROWS = 60;

/** Maximum number of listed pairs of one body; clashes and disabled pairs come first. */
const MOST_LISTED = 500;

/** The allowed collision matrix, and rules by name patterns. */
export function pairsPanel(studio: Studio): Panel {
  const body = make('div', { className: 'pairs-body' });
  const margin = make('input', { type: 'number', min: '0', step: 'any', onchange: () => studio.say({ do: 'margin', value: Number(margin.value) }) }, [], { 'aria-label': 'Margin' });
  const root = make('div', { className: 'pane' }, [heading('Pairs (ACM)'), body]);
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
    make('option', { value: 'off', textContent: 'disable' }), make('option', { value: 'margin', textContent: 'margin' }),
  ], { 'aria-label': 'Effect of the rule' });
  const add = make('button', {
    textContent: 'Add', onclick: () => {
      const rule: PatternRule = { a: one.value.trim(), b: other.value.trim() || '*', margin: kind.value === 'off' ? null : Number(reach.value) };
      if (!rule.a) return studio.onNote('The rule has no name pattern.', 'Enter a body name, or a pattern such as hose*.');
      studio.say({ do: 'pattern', rule, on: true });
    },
  }, [], { 'data-rule': 'add' });
  const rules = make('ul', { className: 'plays' });
  const key = (a: number, b: number) => (a < b ? `${a},${b}` : `${b},${a}`);

  const acm = cellPairs(studio);
  const ofCell = () => {
    if (!acm.root.isConnected) body.replaceChildren(acm.root);
    acm.fill();
  };
  const ofScene = () => {
    if (document.activeElement !== margin) margin.value = String(studio.rules.margin);
    const there = studio.bodies.map((_, number) => number).filter((number) => !studio.bodies[number]!.gone);
    const hand = new Map(studio.rules.by_hand.map(([a, b, on]) => [key(a, b), on]));
    const { chosen, disabledWith } = studio;
    const isAsked = chosen !== null && !studio.rules.is_whole;
    // Of many bodies, the disabled pairs of one body are sent at a time.
    if (isAsked && disabledWith?.body !== chosen) studio.link.say({ do: 'disabled_pairs', body: chosen });
    const listed: [number, number][] = !isAsked ? studio.rules.off : disabledWith?.body === chosen ? disabledWith.off.map((other) => [chosen, other]) : [];
    const off = new Set(listed.map(([a, b]) => key(a, b)));
    const found = new Map((studio.results?.pairs ?? []).filter((pair) => pair.hit).map((pair) => [key(pair.a, pair.b), pair]));
    const common = commonBeginning(studio.bodies.map((entry) => entry.name));
    const cell = (a: number, b: number) => {
      const by = hand.get(key(a, b));
      const isOff = off.has(key(a, b));
      const hit = found.get(key(a, b));
      const why = by !== undefined ? 'by hand' : 'by a rule or the scene';
      const label = `${studio.nameOf(a)} – ${studio.nameOf(b)}: ${isOff ? `disabled ${why}` : hit ? hit.says : by ? 'checked by hand' : 'checked'}`;
      const point = () => (pointed.textContent = label);
      const button = make('button', {
        className: `cell${isOff ? ' off' : ''}${by !== undefined ? ' hand' : ''}`, title: label, textContent: isOff ? '×' : hit ? '●' : '·',
        onclick: () => studio.say({ do: 'pair', a, b, on: by === undefined ? isOff : null }), onmouseenter: point, onfocus: point,
      }, [], { 'aria-label': label, 'aria-pressed': String(!isOff), 'data-cell': `${studio.nameOf(a)}|${studio.nameOf(b)}` });
      if (hit && !isOff) button.style.color = `var(--${hit.relation})`;
      return make('td', {}, [button]);
    };
    const others = chosen === null ? [] : there.filter((b) => b !== chosen);
    const isSpecial = (b: number) => Number(hand.has(key(chosen!, b)) || off.has(key(chosen!, b)) || found.has(key(chosen!, b)));
    if (others.length > MOST_LISTED) others.sort((b, c) => isSpecial(c) - isSpecial(b));
    const more = others.length > MOST_LISTED ? [make('p', { className: 'soft', textContent: `and ${others.length - MOST_LISTED} more checked pairs; use a rule for them` })] : [];
    const name = (number: number) => make('th', { scope: 'row' }, [nameElement(studio.nameOf(number), common)]);
    const matrix = chosen !== null
      ? make('table', { className: 'pair-list' }, others.slice(0, MOST_LISTED).map((b) => make('tr', {}, [cell(chosen, b), name(b)])))
      : there.length > MOST_ROWS
        ? make('p', { className: 'empty', textContent: `There are ${there.length} bodies: select one to list its pairs, or add rules by name.` })
        : make('div', { className: 'matrix-frame' }, [make('table', { className: 'matrix' }, [make('tr', {}, [make('td'), ...there.slice(0, -1).map((b) => make('th', { scope: 'col', title: studio.nameOf(b) }, [make('span', { textContent: studio.nameOf(b).slice(common.length) })]))]), ...there.map((a, k) => make('tr', {}, [name(a), ...there.slice(0, k).map((b) => cell(a, b))]))])]);
    names.replaceChildren(...[...new Set(there.flatMap((number) => {
      const full = studio.nameOf(number);
      return [full, `${full.split(/[./]/)[0]}*`];
    }))].slice(0, 400).map((value) => make('option', { value })));
    rules.replaceChildren(...studio.rules.patterns.map((rule) => make('li', {}, [
      make('span', { textContent: `${rule.a} – ${rule.b}: ${rule.margin === null ? 'disabled' : `margin ${rule.margin} ${studio.hello?.unit ?? ''}`}` }),
      make('button', { textContent: '×', className: 'close', onclick: () => studio.say({ do: 'pattern', rule, on: false }) }, [], { 'aria-label': `Remove the rule for ${rule.a} and ${rule.b}` }),
    ])));
    body.replaceChildren(
      field(`Margin ${studio.hello?.unit ?? ''}`, margin),
      make('fieldset', {}, [make('legend', { textContent: 'Rules by name' }), rules,
        make('div', { className: 'rule' }, [one, other, kind, reach, add]), names]),
      make('p', { className: 'soft', textContent: `${studio.rules.is_whole || isAsked ? `${off.size} pairs disabled, ` : ''}${studio.rules.by_hand.length} set by hand${chosen === null ? '' : `; those of ${studio.nameOf(chosen)}`}:` }),
      pointed, matrix, ...more,
    );
  };
  return {
    root,
    update: (what) => {
      if (what === 'open' || (root.isConnected && ['hello', 'rules', 'results', 'bodies', 'chosen', 'robot', 'disabled'].includes(what))) (studio.robot ? ofCell : ofScene)();
    },
  };
}
