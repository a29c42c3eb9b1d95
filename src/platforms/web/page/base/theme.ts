import { forget, recall, remember } from './dom.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'medley.theme';
const COLOURS = { light: '#f4f6f3', dark: '#0e1614' } as const;

/** The chosen theme. It is applied when this module is loaded, before the first paint. */
export function currentTheme(): ThemeChoice {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

const SYSTEM = matchMedia('(prefers-color-scheme: light)');

function setTheme(theme: ThemeChoice): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes('dark') ? 'dark' : 'light';
    meta.content = COLOURS[theme === 'system' ? own : theme];
  }
  repaintPictures();
}

/** The address of an image card in the visible theme, which the reader or the system has chosen. */
export function pictureAddress(path: string): string {
  const theme = currentTheme();
  const isLight = theme === 'light' || (theme === 'system' && SYSTEM.matches);
  return isLight ? `${path}${LIGHT}` : path;
}

const LIGHT = '?theme=light';

function repaintPictures(): void {
  for (const shown of document.querySelectorAll<HTMLImageElement>('img.card-picture')) {
    const path = shown.getAttribute('src')?.replace(LIGHT, '');
    if (path !== undefined) shown.src = pictureAddress(path);
  }
}

export function chooseTheme(theme: ThemeChoice): void {
  setTheme(theme);
  if (theme === 'system') forget('localStorage', KEY);
  else remember('localStorage', KEY, theme);
}

SYSTEM.addEventListener('change', repaintPictures);
const stored = recall('localStorage', KEY);
setTheme(stored === 'light' || stored === 'dark' ? stored : 'system');
