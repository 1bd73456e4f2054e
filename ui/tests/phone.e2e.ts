// Analysis on a phone: the board and the steps stay in sight, a finger steps; and the page can be installed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { leave, openHouse, picture, SITE, squareMiddle, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const LINE = '#/analyse/line/shogi/7g7f.3c3d.2g2f.8c8d.2f2e/0';
const at = (ply: number): string => `main.analyse[data-ply="${ply}"][data-ready="true"]`;
const PHONE = { hasTouch: true, isMobile: true };

async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Whether an element lies wholly in the window. */
async function inSight(page: Page, what: string): Promise<boolean> {
  return page.locator(what).first().evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
  });
}

/** A finger drawn from one place to another. */
async function swipe(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await send('touchStart', [from]);
  for (let n = 1; n <= 5; n++) await send('touchMove', [{ x: from.x + ((to.x - from.x) * n) / 5, y: from.y + ((to.y - from.y) * n) / 5 }]);
  await send('touchEnd', []);
}

describe('a phone', () => {
  for (const [width, height] of [[390, 844], [320, 568], [844, 390], [667, 375]] as const) {
    it(`has board and steps in sight, wherever the page is scrolled to (${width} × ${height})`, async () => {
      const page = await visit(house, LINE, { ...PHONE, viewport: { width, height } });
      await page.locator(at(0)).waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await expect.poll(() => inSight(page, '.analyse sg-board')).toBe(true);
      await page.evaluate(() => window.scrollTo(0, 0));
      expect(await inSight(page, '.analyse sg-board')).toBe(true);
      expect(await inSight(page, '.steps')).toBe(true);
      await page.locator('[data-step="1"]').click();
      await page.locator(at(1)).waitFor();
      await picture(page, `analyse-${width}`);
      await page.locator('[data-screen="play"]').click();
      await page.locator('[data-start]').waitFor();
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      // What begins a game is in sight before anything is scrolled.
      await page.evaluate(() => window.scrollTo(0, 0));
      expect(await inSight(page, '[data-start]')).toBe(true);
      // A new game begins with its board in sight, though the button lay far below.
      await page.locator('[data-start]').click();
      await page.locator('main[data-game]').waitFor();
      await expect.poll(() => inSight(page, '.play sg-board')).toBe(true);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await leave(page);
    });
  }

  it('sets up a position on its side, with board and palette in sight', async () => {
    const page = await visit(house, LINE, { ...PHONE, viewport: { width: 667, height: 375 } });
    await page.locator(at(0)).waitFor();
    await page.locator('[data-edit]').click();
    await page.locator('main.editor').waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    for (const part of ['sg-board', '.palette']) expect(await inSight(page, `.editor ${part}`), part).toBe(true);
    expect((await page.locator('.editor sg-board').boundingBox())?.width).toBeGreaterThan(190);
    await leave(page);
  });

  it('steps when a finger is drawn sideways, unless it holds a piece', async () => {
    const page = await visit(house, LINE, { ...PHONE, viewport: { width: 390, height: 844 } });
    await page.locator(at(0)).waitFor();
    const right = await squareMiddle(page, '2e');
    const left = await squareMiddle(page, '8e');
    await swipe(page, right, left);
    await page.locator(at(1)).waitFor();
    await swipe(page, right, left);
    await page.locator(at(2)).waitFor();
    await swipe(page, left, right);
    await page.locator(at(1)).waitFor();
    // White's rook is White's to move: dragging it along the rank is a move, not a step.
    await swipe(page, await squareMiddle(page, '8b'), await squareMiddle(page, '4b'));
    await page.locator('.analyse .variation').waitFor();
    expect(await page.locator('main').getAttribute('data-ply')).toBe('2');
    await leave(page);
  });

  // The worker is served by the executable alone.
  it.skipIf(SITE || process.env.NUE_PAGE !== undefined)('can be installed, and opens without its server', async () => {
    const page = await visit(house, '#/play', { serviceWorkers: 'allow' });
    await page.locator('[data-start]').waitFor();
    const manifest = await page.evaluate(async () => {
      const address = document.querySelector<HTMLLinkElement>('link[rel="manifest"]')?.href ?? '';
      return (await (await fetch(address)).json()) as { name: string; display: string; icons: { src: string }[] };
    });
    expect(manifest).toMatchObject({ display: 'standalone', icons: [{ src: './icon.svg' }] });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    await page.reload();
    await page.locator('[data-start]').waitFor();
    await page.context().setOffline(true);
    await page.reload();
    await page.locator('.trouble').waitFor();
    expect(await page.locator('.trouble').textContent()).toContain('cannot be reached');
    await page.context().setOffline(false);
    await page.locator('[data-start]').waitFor();
    // Nothing of the API is kept.
    const kept = await page.evaluate(async () => (await (await caches.open('nue-shell')).keys()).map(({ url }) => new URL(url).pathname));
    expect(kept).toContain('/');
    expect(kept.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await leave(page);
  });
});
