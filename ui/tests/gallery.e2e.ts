// Every screen in every size, language and colour: nothing is wider than its window, axe-core objects to nothing, and no
// word is missing in its language. A few combinations always; all of them, with pictures to be looked at, on request:
//
//   NUE_GALLERY=/tmp/gallery NUE_PICTURES=/tmp/gallery npm run e2e -- gallery

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { faults, leave, openHouse, overflow, picture, startGame, visit, type House } from './harness';

const all = process.env.NUE_GALLERY;
if (all) mkdirSync(all, { recursive: true });
let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const GAME = readFileSync(join(import.meta.dirname, 'game.csa'), 'utf8');
const MIDDLE = 'l5knl/1r2g1gs1/2n1pp1pp/p1pps1p2/1p5P1/P1P1SPP2/1PSPP1N1P/2GK3R1/LN3G2L b Bb 37';

interface Size { name: string; width: number; height: number; phone: boolean }
const SIZES: Size[] = [
  { name: 'desktop', width: 1280, height: 800, phone: false },
  { name: 'large', width: 2560, height: 1440, phone: false },
  { name: 'phone', width: 390, height: 844, phone: true },
  { name: 'narrow', width: 320, height: 568, phone: true },
  // A window of 1280 × 800 at 200 %.
  { name: 'zoomed', width: 640, height: 400, phone: false },
];
/** Looked at every time. */
const USUAL = ['desktop en dark', 'narrow ja light', 'narrow en dark'];
const COMBINATIONS = SIZES.flatMap((size) => (['en', 'ja'] as const).flatMap((language) => (['light', 'dark'] as const).map((scheme) => ({ size, language, scheme, usual: USUAL.includes(`${size.name} ${language} ${scheme}`) }))));

/** Text in an element that belongs to the other language: kana on the English page. */
async function foreign(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
      const parent = text.parentElement;
      if (parent?.closest('noscript, [lang="ja"], .coords, coords, .comment, option, [data-export], .piece-picture')) continue;
      if (/[\u3040-\u30ff]/.test(text.textContent ?? '')) found.push((text.textContent ?? '').trim());
    }
    return found;
  });
}

/** How much higher than its window a screen with a board is. */
async function tooHigh(page: Page): Promise<number> {
  return page.evaluate(() => (document.querySelector('main.screen') ? document.documentElement.scrollHeight - innerHeight : 0));
}

for (const { size, language, scheme, usual } of COMBINATIONS) {
  describe.skipIf(!all && !usual)(`every screen: ${size.name}, ${language}, ${scheme}`, () => {
    it('fits, reads and is accessible', async () => {
      const page = await visit(house, '#/play', {
        viewport: { width: size.width, height: size.height }, colorScheme: scheme, locale: language === 'ja' ? 'ja-JP' : 'en-GB',
        ...(size.phone && { hasTouch: true, isMobile: true }),
      });
      const shot = async (name: string): Promise<void> => {
        const where = `${name} (${size.name}, ${language}, ${scheme})`;
        await page.evaluate(() => document.fonts.ready.then(() => undefined));
        await picture(page, `${name}-${size.name}-${language}-${scheme}`);
        expect(await overflow(page), where).toBeLessThanOrEqual(0);
        // Where board and panel lie side by side the panel is scrolled, never the page.
        if (['desktop', 'large'].includes(size.name)) expect(await tooHigh(page), where).toBeLessThanOrEqual(0);
        if (language === 'en') expect(await foreign(page), where).toEqual([]);
        expect(await faults(page), where).toEqual([]);
      };
      await page.locator('[data-start]').waitFor();
      await shot('new');
      await startGame(page, { opponent: { human: true }, start: MIDDLE, clock: { main: 900, byoyomi: 30 } });
      await page.locator('main[data-may-move="true"]').waitFor();
      await shot('play');
      await startGame(page, { opponent: { friend: true }, name: 'Tsuru' });
      await page.locator('[data-qr="white"]').click();
      await page.locator('.qr').waitFor();
      await shot('friend');
      await page.goto(`${house.address}#/analyse`);
      await page.locator('main[data-ready="true"]').waitFor();
      await page.locator('[data-open]').click();
      await shot('open');
      await page.locator('[data-paste]').fill(GAME);
      await page.locator('[data-open-text]').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      for (let n = 0; n < 9; n += 1) await page.locator('[data-step="1"]').click();
      await page.locator('main[data-ply="9"][data-ready="true"]').waitFor();
      await page.locator('.book > summary').click();
      await page.locator('[data-book-menu]').waitFor();
      if (all) {
        await page.locator('.review input[value="quick"]').check({ force: true });
        await page.locator('[data-review-start]').click();
        await page.locator('[data-review="done"]').waitFor({ timeout: 100000 });
        await page.evaluate(() => window.scrollTo(0, 0));
      }
      await shot('analyse');
      await page.locator('[data-export-open]').click();
      await page.locator('[data-export]').waitFor();
      await shot('export');
      await page.keyboard.press('Escape');
      await page.locator('[data-edit]').click();
      await page.locator('main.editor').waitFor();
      await shot('editor');
      await page.locator('[data-editor-cancel]').click();
      await page.locator('[data-studies]').click();
      await page.locator('.studies .game-list li').first().waitFor();
      await shot('studies');
      await page.locator('[data-screen="practise"]').click();
      await page.locator('main.tsume[data-ready="true"]').waitFor();
      await shot('tsume');
      await page.locator('[data-screen="watch"]').click();
      await page.locator('main.watch').waitFor();
      await shot('watch');
      await page.locator('[data-settings]').click();
      await page.locator('dialog').waitFor();
      await shot('settings');
      await leave(page);
    }, all ? 240000 : 120000);
  });
}
