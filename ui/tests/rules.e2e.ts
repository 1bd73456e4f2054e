// What the page says about rules and turns: in the form, about moves that are not legal, aloud.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { clickMove, clickSquare, expectMoves, leave, myTurn, newGame, openHouse, picture, startGame, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const told = (page: Page): Promise<string | null> => page.locator('.toast').textContent();

describe('rules and turns', () => {
  it('a game with a limit of moves and a rule for declarations', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    await page.locator('[data-rules] summary').click();
    await page.locator('[data-rules] select').selectOption('CSARule24');
    await page.locator('[data-limit]').fill('2');
    await newGame(page, { against: 'human' });
    for (const [index, move] of ['7g7f', '3c3d'].entries()) {
      await myTurn(page, index);
      await clickMove(page, move);
      await expectMoves(page, index + 1);
    }
    await page.locator('[data-status="over"][data-reason="move_limit"]').waitFor();
    await leave(page);
  });

  for (const [locale, nifu, uchifu, check] of [['en-GB', 'nifu', 'uchifuzume', 'in check'], ['ja-JP', '二歩', '打ち歩詰め', '王手放置']] as const) {
    it(`says why a move is not legal (${locale})`, async () => {
      const page = await visit(house, '#/play', { locale });
      const human = { variant: 'shogi', opponent: { human: true } };
      await startGame(page, { ...human, start: '4k4/9/9/9/9/9/4P4/9/4K4 b P 1' });
      await myTurn(page, 0);
      await clickMove(page, 'P*5e');
      await expect.poll(() => told(page)).toContain(nifu);
      expect(await page.locator('[data-announcement]').textContent()).toContain(nifu);
      await picture(page, `illegal-${locale}`);
      await startGame(page, { ...human, start: '7nk/7p1/8G/9/9/9/9/8+P/4K4 b P 1' });
      await myTurn(page, 0);
      await clickMove(page, 'P*1b');
      await expect.poll(() => told(page)).toContain(uchifu);
      await startGame(page, { ...human, start: '4k4/9/9/9/4r4/9/9/9/P3K4 b - 1' });
      await myTurn(page, 0);
      await clickSquare(page, '9i');
      await clickSquare(page, '9h');
      await expect.poll(() => told(page)).toContain(check);
      // Typed, the same.
      await page.locator('[data-move-entry]').fill('9h9g');
      await page.keyboard.press('Enter');
      await page.locator('#entry-problem').waitFor();
      expect(await page.locator('#entry-problem').textContent()).toContain(locale === 'ja-JP' ? '9八に駒がありません' : 'no piece on 9h');
      await leave(page);
    });
  }

  it('says both moves aloud: the answer does not take the place of one’s own', async () => {
    const page = await visit(house, '#/play');
    await newGame(page);
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    const reply = await page.locator('.moves .text').nth(1).textContent();
    expect(await page.locator('[data-announcement] p').allTextContents()).toEqual(expect.arrayContaining(['P-7f', reply]));
    await leave(page);
  });

  it('sounds for moves, the turn and the last seconds, as loud as one likes', async () => {
    const page = await visit(house, '#/play');
    await page.addInitScript(() => {
      const heard: string[] = [];
      (window as unknown as { heard: string[] }).heard = heard;
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (when) {
        heard.push(String(Math.round(this.frequency.value)));
        start.call(this, when);
      };
      const knock = AudioBufferSourceNode.prototype.start;
      AudioBufferSourceNode.prototype.start = function () {
        heard.push('piece');
        knock.call(this);
      };
    });
    await page.reload();
    const heard = (): Promise<string[]> => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
    await page.locator('[data-start]').waitFor();
    await page.locator('.new-game select').nth(1).selectOption('blitz');
    await newGame(page);
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    await expect.poll(async () => (await heard()).filter((name) => name === 'piece').length).toBe(2);
    // Ten seconds a move: they are counted.
    const before = (await heard()).length;
    await expect.poll(async () => (await heard()).length, { timeout: 9000 }).toBeGreaterThan(before + 2);
    await page.locator('[data-settings]').click();
    await page.locator('[data-volume]').fill('0');
    await page.keyboard.press('Escape');
    const silent = (await heard()).length;
    await clickMove(page, '2g2f');
    await myTurn(page, 4);
    expect((await heard()).length).toBe(silent);
    await leave(page);
  });

  it('handicap games have their own words for the sides', async () => {
    const page = await visit(house, '#/play', { locale: 'ja-JP' });
    await page.locator('[data-start]').waitFor();
    const handicap = await page.locator('.new-game select').first().locator('option').nth(6).getAttribute('value');
    await newGame(page, { handicap: handicap ?? '' });
    await myTurn(page, 1);
    const body = async (): Promise<string> => (await page.locator('main').textContent()) ?? '';
    expect(await body()).toContain('下手');
    expect(await body()).not.toMatch(/先手|後手/);
    await page.locator('[data-resign]').click();
    await page.locator('[data-resign-sure]').click();
    await page.locator('[data-analyse]').click();
    await page.locator('main.analyse[data-ready="true"]').waitFor();
    await expect.poll(body).toContain('下手');
    expect(await body()).not.toMatch(/先手|後手/);
    await leave(page);
  });
});
