/** Creates an element; `aria-*`, `data-*` and other attributes are passed in `attributes`. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  children: (Node | string)[] = [],
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** The element of the page with this id. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found as T;
}

/** Decodes a base64 array of numbers. */
export function decode<T>(text: string, Type: { new (buffer: ArrayBuffer): T }): T {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return new Type(bytes.buffer as ArrayBuffer);
}

const NS = 'http://www.w3.org/2000/svg';

/** Creates an SVG element. */
export function draw(tag: string, attributes: Record<string, string | number>, children: (Node | string)[] = []): SVGElement {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** A number with so many significant digits. */
export function short(x: number, digits = 6): string {
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : String(x);
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e7) return x.toExponential(Math.max(digits - 2, 0));
  return String(Number(x.toPrecision(digits)));
}
