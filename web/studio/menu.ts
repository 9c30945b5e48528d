import { element, make } from 'noli-viewer';
import type { Studio } from './studio';

/** An entry of the menu: its label, its key, and what it does; `null` in place of an action that is not possible. */
type Entry = [string, string, (() => void) | null];

/** The menu of a body, or of the view, at the pointer. */
export class Menu {
  private readonly root = make('div', { id: 'menu', hidden: true }, [], { role: 'menu', 'aria-label': 'Body' });

  constructor(private readonly studio: Studio, private readonly measureFrom: () => void, private readonly show: (panel: string) => void, private readonly group: () => void) {
    element('stage').append(this.root);
    studio.viewer.onMenu = (body, event) => this.open(body, event.clientX, event.clientY);
    addEventListener('pointerdown', (event) => !this.root.contains(event.target as Node) && this.close());
    addEventListener('blur', () => this.close());
    this.root.addEventListener('keydown', (event) => this.keys(event));
  }

  /** Opens it for a body that is under the pointer, or for those that are selected. */
  open(body: number | null, x: number, y: number): void {
    const { studio } = this;
    if (body !== null && !studio.selected().includes(body)) studio.choose(body);
    const bodies = studio.selected();
    const name = bodies.length === 0 ? 'View' : bodies.length === 1 ? studio.nameOf(bodies[0]!) : `${bodies.length} bodies`;
    const entries = bodies.length === 0 ? this.ofView() : this.ofBodies(bodies);
    this.root.replaceChildren(make('p', { className: 'soft', textContent: name, title: name }), ...entries.map(([label, key, act]) => make('button', {
      disabled: act === null, onclick: () => {
        this.close();
        act?.();
      },
    }, [label, make('kbd', { textContent: key })], { role: 'menuitem', 'data-menu': label })));
    this.root.setAttribute('aria-label', name);
    this.root.hidden = false;
    // Within the view, also near its edges.
    const stage = element('stage').getBoundingClientRect();
    this.root.style.left = `${Math.max(0, Math.min(x - stage.left, stage.width - this.root.offsetWidth - 4))}px`;
    this.root.style.top = `${Math.max(0, Math.min(y - stage.top, stage.height - this.root.offsetHeight - 4))}px`;
    this.root.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
  }

  private ofView(): Entry[] {
    const { studio } = this;
    return [
      ['Fit all', 'Esc', () => studio.whole()],
      ['Show all', '', studio.hidden.size > 0 || studio.isolated ? () => studio.showAll() : null],
      ['Unlock all', '', studio.locked.size > 0 ? () => studio.lock([...studio.locked], false) : null],
    ];
  }

  private ofBodies(bodies: number[]): Entry[] {
    const { studio } = this;
    const isLocked = bodies.every((body) => studio.locked.has(body));
    const canEdit = bodies.every((body) => studio.isMovable(body) || (isLocked && !studio.hello?.is_database));
    const isScene = studio.robot === null;
    return [
      ['Zoom to', 'F', () => studio.viewer.lookAtBody(bodies[0]!)],
      ['Hide', 'H', () => studio.hideAll(bodies, true)],
      ['Isolate', 'I', () => studio.isolate(bodies)],
      ['Group …', 'Ctrl G', studio.hello?.is_database ? null : () => this.group()],
      ['Measure', '', bodies.length === 1 ? this.measureFrom : null],
      [isLocked ? 'Unlock' : 'Lock', 'L', canEdit ? () => studio.lock(bodies, !isLocked) : null],
      ['Find removal path', '', bodies.length === 1 && isScene && !studio.hello?.is_database ? () => {
        this.show('Motion');
        studio.say({ do: 'find_path', body: bodies[0] });
      } : null],
      ['Duplicate', '', bodies.length === 1 && isScene && canEdit ? () => studio.say({ do: 'copy', body: bodies[0] }) : null],
      ['Remove', 'Del', canEdit ? () => studio.removeSelected() : null],
    ];
  }

  private keys(event: KeyboardEvent): void {
    const buttons = [...this.root.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') this.close();
    else if (by) buttons[(at + by + buttons.length) % buttons.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  close(): void {
    if (this.root.hidden) return;
    const hadFocus = this.root.contains(document.activeElement);
    this.root.hidden = true;
    if (hadFocus) element('view').focus();
  }
}
