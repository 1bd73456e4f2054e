import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command, makeFleet } from './fleet';
import { faults, leave, NUE, openHouse, overflow, picture, visit, type House } from './harness';

let house: House;
let folder: string;
let coordinator: ChildProcess;
let master: ChildProcess;

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

const ofFleet = (...words: string[]): void => command(folder, 'fleet', ...words);

/** The folder of a fleet: a test, a tuning and sums that its coordinator did itself, and a run that waits for a worker. */
function fleet(): string {
  writeFileSync(join(folder, 'sums.toml'), 'kind = "checksum"\nrounds = 1\n');
  const { finish } = makeFleet(folder);
  ofFleet('submit', 'sums.toml', '--games', '3', '--name', '<em>sums</em>');
  finish();
  coordinator = spawn(NUE, ['fleet', 'serve'], { stdio: 'ignore', cwd: folder });
  ofFleet('submit', 'sums.toml', '--name', 'endless');
  return join(folder, 'fleet');
}

/** A cluster of two engines, one that never starts, and the file in which its master shows what they think. */
function cluster(): string {
  const child = (name: string, rest: string): string => `[[child]]\nname = "${name}"\n${rest}\n`;
  const options = 'options = { Threads = 1, USI_Hash = 16 }';
  writeFileSync(join(folder, 'team.toml'), 'name = "<b>Team</b>"\nview = "team.json"\n'
    + child('ab', `inside = "alphabeta"\n${options}`) + child('second', `inside = "alphabeta"\n${options}`) + child('gone', 'program = "./no-such-engine"'));
  master = spawn(NUE, ['cluster', 'team.toml'], { stdio: ['pipe', 'ignore', 'ignore'], cwd: folder });
  tell('usi', 'isready', 'usinewgame');
  return join(folder, 'team.json');
}

const tell = (...lines: string[]): void => { master.stdin?.write(`${lines.join('\n')}\n`); };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nue-watch-'));
  house = await openHouse(['--watch-match', match(), '--watch-learn', resolve(import.meta.dirname, '../../nets'), '--watch-fleet', fleet(), '--watch-cluster', cluster()]);
});
afterAll(async () => {
  await house?.close();
  coordinator?.kill();
  master?.kill();
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

  it('a fleet: runs, games a minute, workers and faults, and what a run waits for, as they change', async () => {
    const page = await visit(house, '#/watch/match');
    await page.locator('[data-watch="fleet"]').click();
    await page.locator('[data-fleet="runs"]').waitFor();
    const runs = page.locator('[data-fleet="runs"]');
    expect(await runs.textContent()).toContain('<em>sums</em>');
    expect(await runs.textContent()).toContain('3/3');
    expect(await page.locator('.source').textContent()).toMatch(/games a minute.*under way.*waiting/);
    expect(await page.locator('[data-fleet="workers"]').textContent()).toContain('local');
    expect(await page.locator('[data-fleet="workers"]').textContent()).toContain('admitted');
    // The one under way is shown whole; nobody works for it.
    const waiting = page.locator('[data-run-card="r4"]');
    // Workers that were there before may yet come back, for most of a minute.
    await waiting.locator('.problem', { hasText: 'no worker is there' }).waitFor({ timeout: 90000 });
    await page.locator('.source .live').waitFor();
    expect(await faults(page)).toEqual([]);
    ofFleet('stop', 'r4', '--reason', 'seen enough');
    await page.locator('[data-run-card="r4"]', { hasText: 'seen enough' }).waitFor();
    await leave(page);
  }, 150000);

  for (const [language, colorScheme, width] of [['en', 'light', 1280], ['ja', 'dark', 360]] as const) {
    it(`a fleet: curves of SPRT and SPSA (${language}, ${colorScheme}, ${width})`, async () => {
      const page = await visit(house, '#/watch/fleet/r1', { viewport: { width, height: 800 }, colorScheme, locale: language === 'ja' ? 'ja-JP' : 'en-GB', ...(width < 500 && { hasTouch: true, isMobile: true }) });
      await page.locator('[data-curve="sprt"] canvas').waitFor();
      const test = (await page.locator('[data-run-card="r1"]').textContent()) ?? '';
      for (const part of ['elo0=0,elo1=30', 'LLR', 'Elo', 'new', 'old']) expect(test).toContain(part);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await faults(page)).toEqual([]);
      await picture(page, `fleet-test-${language}`);
      await page.locator('[data-run="r2"]').click();
      await page.locator('[data-curve="spsa"] canvas').waitFor();
      const tuning = (await page.locator('[data-run-card="r2"]').textContent()) ?? '';
      for (const part of ['rfp_margin', 'lmr_base', language === 'ja' ? '8回中8回目' : 'iteration 8 of 8']) expect(tuning).toContain(part);
      expect(await page.locator('[data-run-card="r1"]').count()).toBe(0);
      await picture(page, `fleet-tuning-${language}`);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await faults(page)).toEqual([]);
      await leave(page);
    });
  }

  for (const [language, colorScheme, width] of [['en', 'light', 1280], ['ja', 'dark', 360]] as const) {
    it(`a cluster: what each engine thinks, live, and what was decided (${language}, ${colorScheme}, ${width})`, async () => {
      tell('position startpos moves 7g7f', 'go infinite');
      const page = await visit(house, '#/watch/cluster', { viewport: { width, height: 900 }, colorScheme, locale: language === 'ja' ? 'ja-JP' : 'en-GB', ...(width < 500 && { hasTouch: true, isMobile: true }) });
      const depth = (name: string) => page.locator(`[data-child="${name}"][data-task="thinks"] [data-depth]`);
      for (const name of ['ab', 'second']) await page.locator(`[data-child="${name}"][data-task="thinks"] meter`).waitFor();
      const first = Number(await depth('ab').textContent());
      // It goes on without anybody asking.
      await expect.poll(async () => Number(await depth('ab').textContent()), { timeout: 60000 }).toBeGreaterThan(first);
      const shown = (await page.locator('main').textContent()) ?? '';
      for (const part of ['<b>Team</b>', ...(language === 'ja' ? ['自分の手を考慮中', '考慮中', '△', '終了'] : ['thinks about its move', 'thinks', 'ended'])]) expect(shown).toContain(part);
      await page.locator('[data-cluster="faults"]', { hasText: 'gone' }).waitFor();
      await page.locator('.cluster-position .board-area').waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await faults(page)).toEqual([]);
      await picture(page, `cluster-${language}`);
      tell('stop');
      await page.locator('[data-cluster="decisions"]', { hasText: language === 'ja' ? '多数決' : 'majority' }).waitFor();
      await page.locator('[data-doing="idle"]').waitFor();
      await leave(page);
    }, 120000);
  }

  it('a cluster whose master has ended', async () => {
    const page = await visit(house, '#/watch/cluster');
    await page.locator('.source .live').waitFor();
    tell('quit');
    await page.locator('.source', { hasText: 'no master is running' }).waitFor();
    expect(await page.locator('[data-cluster="children"]').textContent()).toContain('second');
    await leave(page);
  });

  it('says how to watch what is not there', async () => {
    const page = await visit(house, '#/watch/server');
    expect(await page.locator('.nothing pre').textContent()).toBe('nue web --watch-server server.db');
    await leave(page);
  });
});
