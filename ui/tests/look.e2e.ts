import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, expectMoves, faults, leave, myTurn, newGame, openHouse, overflow, picture, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

describe('how it looks and reads', () => {
  it('switches language and remembers it', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    await page.locator('[data-language]').click();
    await expect.poll(() => page.locator('[data-start]').textContent()).toBe('対局開始');
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.reload();
    await expect.poll(() => page.locator('[data-start]').textContent()).toBe('対局開始');
    await newGame(page, { against: 'human' });
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await expectMoves(page, 1);
    expect(await page.locator('.moves .text').first().textContent()).toContain('７六歩');
    await leave(page);
  });

  it('fits a phone', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await newGame(page, { against: 'human' });
    await myTurn(page, 0);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await clickMove(page, '7g7f');
    await expectMoves(page, 1);
    await picture(page, 'phone');
    await page.locator('[data-screen="analyse"]').click();
    await page.locator('main.analyse').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await page.locator('[data-screen="watch"]').click();
    await page.locator('main.watch').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await leave(page);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has nothing axe-core objects to (${colorScheme})`, async () => {
      const page = await visit(house, '#/play', { colorScheme });
      await page.locator('[data-start]').waitFor();
      expect(await faults(page)).toEqual([]);
      await newGame(page, { against: 'human' });
      await myTurn(page, 0);
      await clickMove(page, '7g7f');
      await expectMoves(page, 1);
      expect(await faults(page)).toEqual([]);
      await picture(page, `play-${colorScheme}`);
      await page.locator('[data-screen="analyse"]').click();
      await page.locator('main[data-ready="true"]').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.locator('[data-open]').click();
      await page.locator('dialog').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.locator('[data-help]').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('[data-headers] summary').click();
      expect(await faults(page)).toEqual([]);
      await page.locator('[data-edit]').click();
      await page.locator('main.editor').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.locator('[data-editor-play]').click();
      await page.locator('dialog .new-game').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('[data-screen="watch"]').click();
      await page.locator('main.watch').waitFor();
      expect(await faults(page)).toEqual([]);
      await page.locator('[data-settings]').click();
      await page.locator('dialog').waitFor();
      expect(await faults(page)).toEqual([]);
      await leave(page);
    });
  }

  it('has nothing axe-core objects to on a phone', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.locator('main[data-ready="true"]').waitFor();
    expect(await faults(page)).toEqual([]);
    await page.locator('[data-edit]').click();
    await page.locator('main.editor').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await faults(page)).toEqual([]);
    await leave(page);
  });

  it('sends no more than 120 KB for the first view', async () => {
    const page = await visit(house, 'NOTICES.txt');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(house.address);
    await page.locator('[data-start]').waitFor();
    await page.waitForLoadState('networkidle');
    // Where the page comes from a folder nothing is compressed, and only that it loads is seen.
    if (!process.env.NUE_PAGE) expect(bytes).toBeGreaterThan(30000);
    if (!process.env.NUE_PAGE) expect(bytes).toBeLessThanOrEqual(120 * 1024);
    await leave(page);
  });

  it('asks nobody else for anything', async () => {
    const page = await visit(house, '');
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(house.address)) foreign.push(request.url());
    });
    await page.reload();
    await page.locator('[data-start]').waitFor();
    expect(foreign).toEqual([]);
    await leave(page);
  });
});
