/** Light or dark: the user's choice, or else the system setting. */
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

/** Follows the system setting until the user chooses; calls the listener at once and at every change. */
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
      // Stored for this page only.
    }
    apply(wanted);
  };
}
