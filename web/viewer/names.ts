import { make } from './dom';

/** The common prefix of all names, up to a slash or dot. */
export function commonBeginning(names: string[]): string {
  if (names.length < 2) return '';
  let common = names[0] ?? '';
  for (const name of names) {
    let same = 0;
    while (same < common.length && common[same] === name[same]) same++;
    common = common.slice(0, same);
    if (common === '') return '';
  }
  const end = Math.max(common.lastIndexOf('/'), common.lastIndexOf('.'));
  // A name that equals the prefix must not become empty.
  return names.some((name) => name.length <= end + 1) ? '' : common.slice(0, end + 1);
}

/** A name without all but the last characters of the IFC GlobalId at its end. */
export function withoutGuid(name: string): string {
  return name.replace(/\/[0-3][0-9A-Za-z_$]{17}([0-9A-Za-z_$]{4})$/, ' …$1');
}

/** A name without the common prefix; if space is short, it is elided before its last part. */
export function nameElement(name: string, common: string): HTMLElement {
  const own = withoutGuid(name.startsWith(common) ? name.slice(common.length) : name);
  // The last part of a path is the telling one. Short names are not split.
  const last = own.includes('/') ? own.length - own.lastIndexOf('/') - 1 : 0;
  const keep = own.length < 8 ? 0 : Math.max(Math.min(last, 28), Math.min(7, Math.floor(own.length / 2)));
  return make('span', { className: 'name', title: name }, [
    make('span', { className: 'head', textContent: own.slice(0, own.length - keep) }),
    make('span', { className: 'tail', textContent: own.slice(own.length - keep) }),
  ]);
}
