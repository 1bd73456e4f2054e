import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leave, NUE, openHouse, visit, type House } from './harness';

let house: House;
let folder: string;

/** A finished match of one game, as `nue match --out` leaves it. */
function match(): string {
  const path = join(folder, 'match.csa');
  copyFileSync(join(import.meta.dirname, 'game.csa'), path);
  const engine = (name: string) => ({ name, start: 'self', options: [], control: '1000 nodes' });
  const plan = {
    game: 'shogi', engines: [engine('Nue'), engine('Nue-fast')], pairings: [[0, 1]], openings: '1 (0)', seed: 1,
    declaration: 'CSARule27', max_moves: 320, resign: null, draw: null, margin: 50,
  };
  const game = { game: 0, players: ['Nue', 'Nue-fast'], winner: 'black', end: 'mate', plies: 55, millis: 4051, length: readFileSync(path).length };
  writeFileSync(`${path}.journal`, `${JSON.stringify({ journal: 1, start: 0, plan })}\n${JSON.stringify(game)}\n`);
  return path;
}

/** The folder of a fleet with a run that is over, as `nue fleet serve` leaves it: its coordinator did the work itself. */
function fleet(): string {
  const data = join(folder, 'fleet');
  const work = join(folder, 'sums.toml');
  writeFileSync(work, 'kind = "checksum"\nrounds = 1\n');
  const nue = (...words: string[]): void => void execFileSync(NUE, ['fleet', '--data', data, ...words], { stdio: 'ignore' });
  nue('serve', '--drain');
  nue('submit', work, '--games', '3', '--name', '<em>sums</em>');
  nue('serve', '--drain', '-j', '1');
  return data;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nue-watch-'));
  house = await openHouse(['--watch-match', match(), '--watch-learn', resolve(import.meta.dirname, '../../nets'), '--watch-fleet', fleet()]);
});
afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('watching', () => {
  it('a match, and a game of it taken over to analysis', async () => {
    const page = await visit(house, '#/watch/match');
    await page.locator('.match table').first().waitFor();
    expect(await page.locator('.match').textContent()).toContain('Nue – Nue-fast');
    expect(await page.locator('.match').textContent()).toContain('Checkmate.');
    await page.locator('.match a').first().click();
    await page.locator('main.analyse .tree-move').nth(55).waitFor();
    expect(await page.locator('[data-name="white"]').textContent()).toContain('Nue-fast');
    await leave(page);
  });

  it('learning, with its chart', async () => {
    const page = await visit(house, '#/watch/learn');
    await page.locator('.chart canvas').first().waitFor();
    expect(await page.locator('.card').first().textContent()).toContain('accepted');
    await leave(page);
  });

  it('a fleet: its page is a link away, with runs, workers and faults', async () => {
    const page = await visit(house, '#/watch/match');
    await page.locator('[data-watch="fleet"]').click();
    await page.locator('h1', { hasText: 'Fleet' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/fleet');
    const text = (await page.locator('body').textContent()) ?? '';
    for (const part of ['games a minute', '<em>sums</em>', '3/3', 'done', 'Workers', 'local', 'Faults']) expect(text).toContain(part);
    await leave(page);
  });

  it('says how to watch what is not there', async () => {
    const page = await visit(house, '#/watch/server');
    expect(await page.locator('.nothing pre').textContent()).toBe('nue web --watch-server server.db');
    await leave(page);
  });
});
