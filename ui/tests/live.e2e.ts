import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults, leave, openHouse, overflow, picture, visit, type House } from './harness';

let house: House;
let holder: ChildProcess;
let folder: string;
let clock: ReturnType<typeof setInterval>;

const MOVES = ['+7776FU', '-3334FU', '+2726FU', '-4344FU', '+3948GI', '-8242HI', '+5756FU', '-5162OU', '+5968OU', '-6272OU', '+6878OU', '-7282OU', '+4958KI', '-7172GI', '+9796FU', '-9394FU', '+2625FU', '-2233KA', '+4857GI', '-3132GI'];

/** The moves so far of a game, with what the engines said of them. */
function csa(count: number, black: string, white: string): string {
  const moves = MOVES.slice(0, count).map((move, index) => `${move}\n'** ${40 + 3 * index} ${MOVES[index + 1] ?? ''}\nT${index % 7}\n`);
  return `V2.2\nN+${black}\nN-${white}\nPI\n+\n${moves.join('')}`;
}

/** The live games as `nue match` tells them, further with every call. */
function tell(games: string, step: number): void {
  const live = [0, 1].map((game) => {
    const players = game === 0 ? ['Tsuru', 'Kame'] : ['Kame', 'Tsuru'];
    const count = Math.min(MOVES.length, 4 + game + step);
    return { game, players, left: [300000 - 2000 * step, 280000 - 1500 * step], since: Date.now(), csa: csa(count, players[0] ?? '', players[1] ?? '') };
  });
  writeFileSync(`${games}.live.new`, JSON.stringify(live));
  renameSync(`${games}.live.new`, `${games}.live`);
}

/** A match that is being played: its files, and somebody who holds the lock of its journal, as it would. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nue-live-'));
  const games = join(folder, 'games.csa');
  const engine = (name: string) => ({ name, start: 'self', options: [], control: '1000 nodes' });
  writeFileSync(games, '');
  writeFileSync(`${games}.journal`, `${JSON.stringify({ journal: 1, start: 0, plan: { game: 'shogi', engines: [engine('Tsuru'), engine('Kame')], pairings: [[0, 1]] } })}\n`);
  // Until its input ends.
  holder = spawn('flock', [`${games}.journal`, 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
  let step = 0;
  tell(games, step);
  clock = setInterval(() => tell(games, ++step % 16), 1500);
  house = await openHouse(['--watch-match', games]);
});
afterAll(async () => {
  clearInterval(clock);
  await house?.close();
  holder?.stdin?.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('games of a match that is being played', () => {
  it('open on a full board that follows them', async () => {
    const page = await visit(house, '#/watch/match');
    await page.locator('[data-small]').first().locator('a').click();
    const live = page.locator('main.live-single[data-running="true"]');
    await live.waitFor();
    await page.locator('[data-live-player="black"] .clock').waitFor();
    const moves = async (): Promise<number> => Number(await live.getAttribute('data-moves'));
    await expect.poll(moves, { timeout: 60000 }).toBeGreaterThan(1);
    const seen = await moves();
    await expect.poll(moves, { timeout: 60000 }).not.toBe(seen);
    // What an engine thought of its move, and its line in words.
    await page.locator('.live-line').first().waitFor();
    // Looking back does not stop the game.
    await page.locator('[data-step="-9999"]').click();
    await expect.poll(async () => (await page.locator('.board-area').getAttribute('data-sfen'))?.endsWith(' b - 1')).toBe(true);
    const then = await moves();
    await expect.poll(moves, { timeout: 60000 }).not.toBe(then);
    expect((await page.locator('.board-area').getAttribute('data-sfen'))?.endsWith(' b - 1')).toBe(true);
    await page.locator('[data-step="9999"]').click();
    expect(await faults(page)).toEqual([]);
    await page.locator('[data-live-engine-button]').click();
    await page.locator('.live-engine .live-line').waitFor();
    await page.locator('[data-live-engine-button]').click();
    await picture(page, 'live-one');
    await page.locator('[data-live-analyse]').click();
    await page.locator('main.analyse .tree-move').nth(1).waitFor();
    await leave(page);
  });

  it('lie side by side, and on a big screen', async () => {
    const page = await visit(house, '#/watch/live/all');
    await page.locator('main.live-several[data-boards="2"]').waitFor();
    const boxes = await Promise.all([0, 1].map((at) => page.locator('.live-grid li').nth(at).boundingBox()));
    expect(boxes[0]?.y).toBe(boxes[1]?.y);
    expect((boxes[0]?.x ?? 0) + (boxes[0]?.width ?? 0)).toBeLessThanOrEqual(boxes[1]?.x ?? 0);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await faults(page)).toEqual([]);
    await picture(page, 'live');
    await page.locator('[data-live-big]').click();
    await page.locator('main.live-several.big').waitFor();
    expect(await page.locator('.heading').isVisible()).toBe(false);
    await picture(page, 'live-big');
    await page.keyboard.press('Escape');
    await page.locator('.heading').waitFor();
    // One of two is left when the other is unticked.
    await page.locator('.live-boards summary').click();
    await page.locator('[data-tick]').first().uncheck();
    await page.locator('main.live-single').waitFor();
    await leave(page);
  });

  it('fit a phone, in Japanese', async () => {
    const page = await visit(house, '#/watch/live/all', { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, locale: 'ja-JP' });
    await page.locator('main.live-several[data-boards="2"]').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await faults(page)).toEqual([]);
    await picture(page, 'live-phone');
    await leave(page);
  });
});
