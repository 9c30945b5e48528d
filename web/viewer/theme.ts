/** Light or dark: what the user chose here, or else what the system says. */
export type Theme = 'light' | 'dark';

const KEY = 'noli-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme | null {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : null;
  } catch {
    // A page opened from a file may have no storage.
    return null;
  }
}

export function theme(): Theme {
  return (document.documentElement.dataset.theme as Theme | undefined) ?? 'light';
}

/** Follows the system until somebody chooses; tells the listener at once and at every change. */
export function followTheme(listener: (theme: Theme) => void): (wanted: Theme) => void {
  const apply = (wanted: Theme) => {
    document.documentElement.dataset.theme = wanted;
    listener(wanted);
  };
  const fromSystem = () => apply(chosen() ?? (system.matches ? 'dark' : 'light'));
  system.addEventListener('change', fromSystem);
  fromSystem();
  return (wanted) => {
    try {
      localStorage.setItem(KEY, wanted);
    } catch {
      // Kept for this page only.
    }
    apply(wanted);
  };
}
