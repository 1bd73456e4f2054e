// Every word the page says, in two languages. A key that one of them lacks does not compile.

import { settings } from '../settings';
import type { Words } from '../net/contract';
import { en, type Key } from './en';
import { ja } from './ja';

export type { Key };
export const tables = { en, ja };

/** Puts values into the places named {so}; of {so|one|many} the word for that number. */
export function fill(text: string, values: Record<string, string | number>): string {
  const counted = text.replace(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) => (values[name] === 1 ? one : many));
  return counted.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function t(key: Key, values?: Record<string, string | number>): string {
  const text = tables[settings.language.value][key];
  return values ? fill(text, values) : text;
}

/** The visitor's half of something the server says in both languages. */
export function say(words: Words): string {
  return words[settings.language.value];
}

/** The visitor's notation of a move or line. */
export function notated<T>(both: { ja: T; en: T }): T {
  return settings.language.value === 'ja' ? both.ja : both.en;
}

/** A reason, code or grade that came from the server, or the word itself where none is known. */
export function known(prefix: string, word: string): string {
  const key = `${prefix}.${word}`;
  return key in en ? t(key as Key) : word;
}
