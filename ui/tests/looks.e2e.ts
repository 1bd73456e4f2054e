import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults, leave, myTurn, openHouse, overflow, picture, startGame, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const GAME = readFileSync(join(import.meta.dirname, 'game.csa'), 'utf8');
/** Hands with one and with many of a kind. */
const HANDS = '4k4/9/9/9/9/9/9/9/4K4 b 2R3G10Pbs3n7p 1';

async function openGame(page: Page): Promise<void> {
  await page.locator('[data-open]').click();
  await page.locator('[data-paste]').fill(GAME);
  await page.locator('[data-open-text]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

const style = (page: Page, selector: string, name: string): Promise<string> => page.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);

describe('boards and pieces', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    it(`can be chosen (${colorScheme})`, async () => {
      const page = await visit(house, '#/play', { colorScheme });
      await startGame(page, { opponent: { human: true }, start: HANDS });
      await myTurn(page, 0);
      const kaya = await style(page, 'sg-board', 'background-color');
      expect(await style(page, 'sg-board', 'background-image')).toContain('wood');
      await page.locator('[data-settings]').click();
      // What is forced does not wait until it can be seen.
      await page.locator('dialog[open]').waitFor();
      await page.locator('dialog input[value="walnut"]').check({ force: true });
      await page.locator('dialog input[value="brush"]').check({ force: true });
      expect(await faults(page)).toEqual([]);
      await picture(page, `settings-${colorScheme}`);
      await page.keyboard.press('Escape');
      expect(await style(page, 'sg-board', 'background-color')).not.toBe(kaya);
      expect(await page.locator('.board-area.set-brush').count()).toBe(1);
      await picture(page, `looks-walnut-brush-${colorScheme}`);
      await page.reload();
      await myTurn(page, 0);
      expect(await page.locator('html').getAttribute('data-board')).toBe('walnut');
      expect(await faults(page)).toEqual([]);
      await leave(page);
    });
  }

  it('show how many are in hand beside the piece, and nothing where there is none', async () => {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const page = await visit(house, '#/play', { viewport });
      await startGame(page, { opponent: { human: true }, start: HANDS });
      await myTurn(page, 0);
      const pawns = page.locator('.hand-bottom sg-hp-wrap[data-nb="10"]');
      const [piece, wrap] = await Promise.all([pawns.locator('piece').boundingBox(), pawns.boundingBox()]);
      // The number stands in what is left of its place.
      expect((wrap?.width ?? 0) - (piece?.width ?? 0)).toBeGreaterThan((piece?.width ?? 0) * 0.3);
      // Pieces lie together, without gaps for those that are missing.
      const tops = await page.locator('.hand-bottom sg-hp-wrap:not([data-nb="0"])').evaluateAll((wraps) => wraps.map((element) => element.getBoundingClientRect()).map(({ x, y, width, height }) => ({ x, y, width, height })));
      const along = viewport.width > 720 ? 'y' : 'x';
      const [near, far] = [Math.min(...tops.map((at) => at[along])), Math.max(...tops.map((at) => at[along]))];
      expect(far - near).toBeLessThan(tops.length * (tops[0]?.[along === 'y' ? 'height' : 'width'] ?? 0));
      const empty = page.locator('.hand-bottom sg-hp-wrap[data-nb="0"] piece').first();
      expect(await empty.evaluate((element) => getComputedStyle(element).opacity === '0' || element.getClientRects().length === 0)).toBe(true);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await picture(page, `looks-hands-${viewport.width}`);
      await leave(page);
    }
  });

  it('fill a large screen', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 2560, height: 1440 } });
    await startGame(page, { opponent: { human: true } });
    await myTurn(page, 0);
    const box = await page.locator('.sg-wrap').boundingBox();
    expect(box?.height).toBeGreaterThan(1440 * 0.8);
    // A place for what will be taken, though nothing is in it yet.
    const hand = await page.locator('.hand-bottom sg-hand').boundingBox();
    expect(hand?.width).toBeGreaterThan(100);
    expect(hand?.height).toBeGreaterThan(600);
    await picture(page, 'looks-large');
    await leave(page);
  });
});

describe('the analysis', () => {
  it('has names beside their sides, a bar one can read, and panes to be resized', async () => {
    const page = await visit(house, '#/analyse');
    await openGame(page);
    const [black, white, board] = await Promise.all(['[data-name="black"]', '[data-name="white"]', '.sg-wrap'].map((at) => page.locator(at).boundingBox()));
    expect(white?.y).toBeLessThan(board?.y ?? 0);
    expect(black?.y).toBeGreaterThanOrEqual((board?.y ?? 0) + (board?.height ?? 0));
    await page.locator('[data-engine="a"]').click();
    await page.locator('.win-bar b').first().waitFor();
    expect(parseFloat(await style(page, '.win-bar b', 'font-size'))).toBeGreaterThanOrEqual(14);
    for (const [name, key, what, side] of [['tree', 'ArrowDown', '.tree', 'height'], ['panel', 'ArrowLeft', '.panel', 'width'], ['lines', 'ArrowDown', '.engine-lines', 'height']] as const) {
      const before = (await page.locator(what).first().boundingBox())?.[side] ?? 0;
      await page.locator(`[data-splitter="${name}"]`).focus();
      for (let i = 0; i < 4; i += 1) await page.keyboard.press(key);
      await expect.poll(async () => ((await page.locator(what).first().boundingBox())?.[side] ?? 0) - before, { message: name }).toBeGreaterThan(40);
    }
    await page.locator('[data-engine="a"]').click();
    // By hand too, and kept.
    const grip = await page.locator('[data-splitter="panel"]').boundingBox();
    const [x, y] = [(grip?.x ?? 0) + 6, (grip?.y ?? 0) + (grip?.height ?? 0) / 2];
    const width = async (): Promise<number> => Math.round((await page.locator('.panel').boundingBox())?.width ?? 0);
    const before = await width();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(width).toBe(before - 80);
    await page.reload();
    await page.locator('main.analyse').waitFor();
    await expect.poll(width).toBe(before - 80);
    expect(await faults(page)).toEqual([]);
    await picture(page, 'looks-analyse');
    await leave(page);
  });

  it('gives pictures of a position and of the game', async () => {
    const page = await visit(house, '#/analyse', { acceptDownloads: true });
    await openGame(page);
    await page.locator('[data-step="9999"]').click();
    await page.locator('[data-export-open]').click();
    expect(await faults(page)).toEqual([]);
    for (const [kind, magic] of [['png', '\x89PNG'], ['svg', '<svg'], ['gif', 'GIF89a']] as const) {
      const [download] = await Promise.all([page.waitForEvent('download', { timeout: 90000 }), page.locator(`[data-picture="${kind}"]`).click()]);
      const bytes = readFileSync(await download.path());
      expect(bytes.subarray(0, magic.length).toString('latin1')).toBe(magic);
      expect(download.suggestedFilename()).toMatch(new RegExp(`\\.${kind}$`));
      expect(bytes.length).toBeGreaterThan(kind === 'gif' ? 40000 : 10000);
      if (process.env.NUE_PICTURES) await download.saveAs(join(process.env.NUE_PICTURES, `share.${kind}`));
    }
    await leave(page);
  });
});
