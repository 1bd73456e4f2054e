import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fill } from '.';
import { en } from './en';
import { ja } from './ja';

const keys = Object.keys(en).sort();
const places = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

function sources(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'i18n' ? [] : sources(path);
    return /\.tsx?$/.test(name) && !name.endsWith('.test.ts') ? [readFileSync(path, 'utf8')] : [];
  });
}

describe('the two languages', () => {
  it('count as English does', () => {
    expect(fill('{n} {n|move|moves} of {m}', { n: 1, m: 2 })).toBe('1 move of 2');
    expect(fill('{n} {n|move|moves}', { n: 0 })).toBe('0 moves');
  });

  it('have the same keys, none empty', () => {
    expect(Object.keys(ja).sort()).toEqual(keys);
    for (const table of [en, ja]) for (const [key, text] of Object.entries(table)) expect(text.trim(), key).not.toBe('');
  });
  it('name the same values in each text', () => {
    for (const key of keys as (keyof typeof en)[]) expect(places(ja[key]), key).toEqual(places(en[key]));
  });
  it('hold every key the page uses, and no key it does not', () => {
    const text = sources(join(import.meta.dirname, '..')).join('\n');
    const used = new Set([...text.matchAll(/\bt\('([\w.+]+)'/g)].map(([, key]) => key));
    for (const key of used) expect(keys, key).toContain(key);
    // Keys put together from parts: known('ending', …), t(`clock.${…}`).
    const prefixes = new Set([...text.matchAll(/(?:known\('|t\(`)([\w.]+)/g)].map(([, prefix]) => `${prefix}`.replace(/\.?$/, '.')));
    for (const key of keys) expect(used.has(key) || [...prefixes].some((prefix) => key.startsWith(prefix)), key).toBe(true);
  });
  it('has no Japanese in the page outside the tables', () => {
    const allowed = /entry\.ts|announce\.ts|App\.tsx|SettingsDialog\.tsx/;
    const walk = (folder: string): [string, string][] => readdirSync(folder).flatMap((name): [string, string][] => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return name === 'i18n' ? [] : walk(path);
      return /\.tsx?$/.test(name) && !name.endsWith('.test.ts') ? [[path, readFileSync(path, 'utf8')]] : [];
    });
    for (const [path, text] of walk(join(import.meta.dirname, '..'))) {
      if (!allowed.test(path)) expect(/[\u3040-\u30ff\u4e00-\u9fff]/.exec(text)?.[0], path).toBeUndefined();
    }
  });
});
