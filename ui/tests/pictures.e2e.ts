// The pictures of the README and the documentation, made anew on request:
//
//   NUE_PICTURES=../docs/pictures npm run e2e -- pictures

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Page } from 'playwright-core';
import { makeFleet } from './fleet';
import { leave, myTurn, openHouse, picture, visit, type House } from './harness';

const wanted = process.env.NUE_PICTURES !== undefined;
let house: House;
beforeAll(async () => {
  if (wanted) house = await openHouse();
});
afterAll(async () => house?.close());

const GAME = readFileSync(join(import.meta.dirname, 'game.csa'), 'utf8');

/** A game from a position of the middle game, Nue to answer. */
async function playFrom(page: Page, wish: object): Promise<void> {
  await page.locator('[data-start]').waitFor();
  const id = await page.evaluate(async (body) => {
    const answer = await fetch('./api/games', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return ((await answer.json()) as { game: string }).game;
  }, wish);
  await page.evaluate((game) => { location.hash = `#/play/${game}`; }, id);
  await page.locator('main[data-may-move="true"]').waitFor();
}

async function openGame(page: Page): Promise<void> {
  await page.locator('[data-open]').click();
  await page.locator('[data-paste]').fill(GAME);
  await page.locator('[data-open-text]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

const MIDDLE = 'l5knl/1r2g1gs1/2n1pp1pp/p1pps1p2/1p5P1/P1P1SPP2/1PSPP1N1P/2GK3R1/LN3G2L b Bb 37';
const clock = { main: 900, byoyomi: 30, increment: 0 };

describe.skipIf(!wanted)('pictures', () => {
  it('playing', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
    await playFrom(page, { variant: 'shogi', start: MIDDLE, side: 'black', opponent: { level: 4 }, clock });
    for (let moves = 0; moves < 8; moves += 2) {
      await myTurn(page, moves);
      await page.locator('[data-hint-button]').click();
      const hint = await page.locator('[data-hint]').getAttribute('data-hint');
      await page.locator('[data-move-entry]').fill(hint ?? '');
      await page.keyboard.press('Enter');
    }
    await myTurn(page, 8);
    await page.locator('[data-hint-button]').click();
    await page.locator('[data-hint]').waitFor();
    await picture(page, 'play');
    await leave(page);
  });

  it('an invitation', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
    await page.locator('[data-start]').waitFor();
    const id = await page.evaluate(async () => {
      const answer = await fetch('./api/games', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ opponent: { friend: true }, name: 'Tsuru', clock: { main: 900, byoyomi: 30 } }) });
      return ((await answer.json()) as { game: string }).game;
    });
    await page.evaluate((game) => { location.hash = `#/play/${game}`; }, id);
    await page.locator('[data-qr="white"]').click();
    await page.locator('.qr').waitFor();
    await page.waitForLoadState('networkidle');
    await picture(page, 'friend');
    await leave(page);
  });

  it('practising', async () => {
    const page = await visit(house, '#/practise', { viewport: { width: 1200, height: 760 }, colorScheme: 'dark' });
    await page.locator('main.tsume[data-ready="true"]').waitFor();
    await picture(page, 'tsume');
    await leave(page);
  });

  it('setting up a position', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 1200, height: 800 }, colorScheme: 'light' });
    await page.locator('main[data-ready="true"]').waitFor();
    await page.locator('[data-edit]').click();
    await page.locator('main.editor').waitFor();
    await picture(page, 'editor-after');
    await leave(page);
  });

  it('an opening book', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 1200, height: 900 }, colorScheme: 'light' });
    await page.locator('main[data-ready="true"]').waitFor();
    await page.evaluate(async () => {
      const post = async (path: string, body: object): Promise<{ book: string }> => (await fetch(`./api/${path}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json() as Promise<{ book: string }>;
      const { book } = await post('books', { name: 'My openings', variant: 'shogi' });
      const edit = (moves: string[], more: object): Promise<unknown> => post(`books/${book}/edit`, { variant: 'shogi', moves, ...more });
      for (const line of ['7g7f 3c3d 2g2f 8c8d 2f2e 8d8e', '7g7f 3c3d 6g6f 8c8d', '7g7f 3c3d 7i6h 8c8d', '7g7f 3c3d 1g1f']) await edit(line.split(' '), { line: true });
      for (const [move, value, comment] of [['2g2f', 48, 'Side pawn or yagura next'], ['6g6f', 12, 'Ranging rook'], ['7i6h', 21, ''], ['1g1f', -70, '']] as const) await edit(['7g7f', '3c3d'], { move, value, ...(comment && { comment }) });
      localStorage.setItem('nue.book', book);
      localStorage.setItem('nue.book.open', 'yes');
    });
    await page.goto(`${house.address}#/analyse/line/shogi/7g7f.3c3d/2`);
    await page.reload();
    await page.locator('tr[data-book-move="2g2f"]').waitFor();
    await page.locator('.panel').evaluate((panel) => { panel.scrollTop = 420; });
    await picture(page, 'book');
    await leave(page);
  });

  it('a lesson', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
    await playFrom(page, { opponent: { human: true } });
    const moves = ['7g7f', '3c3d', '2g2f', '4c4d', '3i4h', '8b4b', '5i6h', '5a6b', '6h7h', '6b7b', '5g5f', '7b8b', '4i5h', '7a7b', '8h4d', '4b4d', '2f2e', '2b3c'];
    for (const [index, move] of moves.entries()) {
      await page.locator('[data-move-entry]').fill(move);
      await page.keyboard.press('Enter');
      await page.locator(`main[data-moves="${index + 1}"]`).waitFor();
    }
    await page.locator('[data-resign]').click();
    await page.locator('[data-resign-sure]').click();
    await page.locator('[data-learn-link]').click();
    await page.locator('[data-lesson="done"] [data-reason]').waitFor({ timeout: 180000 });
    await page.locator('main[data-ready="true"]').waitFor();
    await picture(page, 'lesson');
    await leave(page);
  }, 240000);

  it('a fleet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nue-fleet-'));
    makeFleet(folder).finish();
    const place = await openHouse(['--watch-fleet', join(folder, 'fleet')]);
    const page = await visit(place, '#/watch/fleet/r1', { viewport: { width: 1200, height: 860 }, colorScheme: 'light' });
    await page.locator('[data-curve="sprt"] canvas').waitFor();
    await picture(page, 'fleet');
    await leave(page);
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('playing on a phone, in Japanese, in the dark', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 390, height: 760 }, colorScheme: 'dark', locale: 'ja-JP', hasTouch: true, isMobile: true });
    await playFrom(page, { variant: 'minishogi', side: 'black', opponent: { level: 2 }, clock });
    await picture(page, 'phone');
    await leave(page);
  });

  it('analysing on a phone', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true });
    await openGame(page);
    for (let i = 0; i < 12; i += 1) await page.locator('[data-step="1"]').click();
    await page.locator('[data-engine="a"]').click();
    await page.locator('.win-bar b').first().waitFor();
    await page.locator('[data-engine="a"]').click();
    await page.evaluate(() => window.scrollTo(0, 0));
    await picture(page, 'analyse-phone-after');
    await leave(page);
  });

  it('analysing', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 1440, height: 960 }, colorScheme: 'light' });
    await openGame(page);
    await page.locator('.review input[value="normal"]').check({ force: true });
    await page.locator('[data-review-start]').click();
    await page.locator('[data-review="done"]').waitFor({ timeout: 180000 });
    await page.locator('.mistake-move').first().click();
    await page.locator('[data-step="-1"]').click();
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"] .engine-line').nth(2).waitFor();
    await page.locator('.panel').evaluate((panel) => { panel.scrollTop = 0; });
    await picture(page, 'analyse');
    await leave(page);
  }, 240000);
});
