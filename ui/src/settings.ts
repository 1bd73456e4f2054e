// What a visitor likes, kept in the browser. Each setting is a signal; a change is stored at once.

import { signal, type Signal } from '@preact/signals';

export type Language = 'en' | 'ja';
export type Theme = 'auto' | 'light' | 'dark';
export type PieceSet = 'kanji' | 'brush' | 'single' | 'western';
export type BoardLook = 'kaya' | 'walnut' | 'plain';
export type Coordinates = 'japanese' | 'western' | 'none';

function kept<T extends string>(name: string, allowed: readonly T[], first: T): Signal<T> {
  let value = first;
  try {
    const stored = localStorage.getItem(`nue.${name}`) as T | null;
    if (stored !== null && allowed.includes(stored)) value = stored;
  } catch {
    // Storage may be forbidden; the setting then lasts as long as the page.
  }
  const setting = signal(value);
  setting.subscribe((now) => {
    try {
      if (now !== first || localStorage.getItem(`nue.${name}`) !== null) localStorage.setItem(`nue.${name}`, now);
    } catch {
      // as above
    }
  });
  return setting;
}

const VOLUMES = Array.from({ length: 11 }, (_, index) => String(index * 10));
const speaksJapanese = typeof navigator !== 'undefined' && navigator.language.toLowerCase().startsWith('ja');

export const settings = {
  language: kept<Language>('language', ['en', 'ja'], speaksJapanese ? 'ja' : 'en'),
  theme: kept<Theme>('theme', ['auto', 'light', 'dark'], 'auto'),
  pieces: kept<PieceSet>('pieces', ['kanji', 'brush', 'single', 'western'], 'kanji'),
  board: kept<BoardLook>('board', ['kaya', 'walnut', 'plain'], 'kaya'),
  coordinates: kept<Coordinates>('coordinates', ['japanese', 'western', 'none'], speaksJapanese ? 'japanese' : 'western'),
  animation: kept<'on' | 'off'>('animation', ['on', 'off'], 'on'),
  shortcuts: kept<'on' | 'off'>('shortcuts', ['on', 'off'], 'on'),
  /** Percent; 0 is silence. */
  volume: kept<string>('volume', VOLUMES, '60'),
};
