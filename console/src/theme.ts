// Light or dark: as the system says, unless the reader has chosen.

export type Theme = 'system' | 'light' | 'dark';

const key = 'platform.theme';

export function currentTheme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function applyTheme(theme: Theme = currentTheme()): void {
  if (theme === 'system') localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  document.documentElement.dataset['theme'] = theme === 'system' ? (systemIsDark().matches ? 'dark' : 'light') : theme;
}

/** Applies it now, and when the system becomes another. */
export function followTheme(): void {
  applyTheme();
  systemIsDark().addEventListener('change', () => applyTheme());
}

function systemIsDark(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}
