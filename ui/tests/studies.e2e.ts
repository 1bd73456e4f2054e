import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { ask, clickMove, faults, leave, openHouse, overflow, picture, SITE, startGame, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const at = (ply: number) => `main.analyse[data-ready="true"][data-ply="${ply}"]`;
const saved = (page: Page) => page.locator('[data-saving="saved"]').waitFor();

async function play(page: Page, usi: string, ply: number): Promise<void> {
  await clickMove(page, usi);
  await page.locator(at(ply)).waitFor();
}

async function describeStudy(page: Page, name: string, folder: string, tags: string): Promise<void> {
  await page.locator('[data-study-name]').click();
  await page.locator('[data-name]').fill(name);
  await page.locator('[data-folder]').fill(folder);
  await page.locator('[data-tags]').fill(tags);
  await page.locator('[data-details-save]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

describe('studies', () => {
  it('are saved by themselves, survive a killed server, and open in another window', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await play(page, '7g7f', 1);
    await saved(page);
    await play(page, '3c3d', 2);
    await saved(page);
    const address = page.url();
    expect(address).toContain('#/analyse/study/');
    if (!SITE) await house.restart('SIGKILL');
    // The server is back: what was saved is there, in a window that knows nothing of it.
    const other = await page.context().newPage();
    await other.goto(address);
    await other.locator(at(2)).waitFor();
    expect(await other.locator('.tree-move').count()).toBe(3);
    // What one window changes, the other shows.
    await play(other, '2g2f', 3);
    await saved(other);
    await expect.poll(() => page.locator('.tree-move').count()).toBe(4);
    await leave(page);
  });

  it.skipIf(SITE)('wait for a server that is away', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await play(page, '7g7f', 1);
    await saved(page);
    await page.context().setOffline(true);
    await page.locator('.comment-box').fill('written without a server');
    await page.locator('.comment-box').blur();
    await page.locator('[data-saving="failed"]').waitFor();
    await page.context().setOffline(false);
    await saved(page);
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.locator(at(1)).waitFor();
    expect(await page.locator('.comment-box').inputValue()).toBe('written without a server');
    await leave(page);
  });

  it('undo and redo, and take back a removed line', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await play(page, '7g7f', 1);
    await play(page, '3c3d', 2);
    await page.locator('[data-step="-9999"]').click();
    await page.locator(at(0)).waitFor();
    await page.locator('[data-step="1"]').click();
    await page.locator(at(1)).waitFor();
    await page.locator('[data-remove]').click();
    await page.locator(at(0)).waitFor();
    expect(await page.locator('.tree-move').count()).toBe(1);
    await page.locator('[data-toast-action]').click();
    await page.locator(at(1)).waitFor();
    expect(await page.locator('.tree-move').count()).toBe(3);
    await page.keyboard.press('Control+z');
    await page.locator(at(1)).waitFor();
    expect(await page.locator('.tree-move').count()).toBe(2);
    await page.locator('[data-undo]').click();
    await page.locator(at(0)).waitFor();
    expect(await page.locator('[data-undo]').isDisabled()).toBe(true);
    await page.keyboard.press('Control+y');
    await page.locator('[data-redo]').click();
    // Where one stood when it was undone.
    await page.locator(at(1)).waitFor();
    expect(await page.locator('.tree-move').count()).toBe(3);
    // What is left is the removal, which was undone first.
    await page.locator('[data-redo]').click();
    await page.locator(at(0)).waitFor();
    expect(await page.locator('.tree-move').count()).toBe(1);
    expect(await page.locator('[data-redo]').isDisabled()).toBe(true);
    await leave(page);
  });

  it('are named, put into folders, found, deleted and restored', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await play(page, '7g7f', 1);
    await describeStudy(page, 'Yagura', 'Openings/Static', 'mine, rook');
    await saved(page);
    await expect.poll(() => page.locator('[data-study-name]').textContent()).toContain('#mine');
    // Opening something else replaces nothing.
    await page.locator('[data-open]').click();
    await page.locator('[data-paste]').fill('V2\nN+Aoi\nN-Ren\nPI\n+\n+2726FU\n-3334FU\n%TORYO\n');
    await page.locator('[data-open-text]').click();
    await expect.poll(() => page.locator('[data-study-name]').textContent()).toContain('Aoi – Ren');
    await saved(page);
    await page.locator('[data-studies]').click();
    await page.locator('main.studies[data-total="2"]').waitFor();
    await picture(page, 'studies');
    await page.locator('[data-search]').fill('yagura ROOK');
    await page.locator('main.studies[data-total="1"]').waitFor();
    expect(await page.locator('[data-study]').textContent()).toContain('Openings/Static');
    await page.locator('[data-search]').fill('');
    await page.locator('.study-filters select').first().selectOption('Openings/Static');
    await page.locator('main.studies[data-total="1"]').waitFor();
    await page.locator('[data-rename-folder]').click();
    await page.locator('[data-folder-to]').fill('Books');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('[data-study]').textContent()).toContain('Books');
    await page.locator('[data-delete]').click();
    await page.locator('[data-toast-action]').click();
    await page.locator('[data-study]').waitFor();
    await page.locator('[data-delete]').click();
    await page.locator('main.studies[data-total="0"]').waitFor();
    await page.locator('[data-bin="on"]').click();
    await page.locator('.study-filters [data-search]').waitFor();
    await page.locator('[data-forget]').waitFor();
    await page.locator('[data-restore]').click();
    await page.locator('[data-bin="off"]').click();
    await page.locator('[data-study] a', { hasText: 'Yagura' }).click();
    await page.locator(at(1)).waitFor();
    await leave(page);
  });

  it('of a game are found again when it is looked at again', async () => {
    const page = await visit(house, '#/play');
    await startGame(page, { opponent: { human: true } });
    await clickMove(page, '7g7f');
    await page.locator('main[data-moves="1"]').waitFor();
    const game = page.url().split('/').pop();
    await page.goto(`${house.address}#/analyse/game/${game}`);
    await expect.poll(() => page.locator('.tree-move').count()).toBe(2);
    expect(await page.locator('[data-saving]').getAttribute('data-saving')).toBe('none');
    await page.locator('.comment-box').fill('a plan');
    await page.locator('.comment-box').blur();
    await saved(page);
    await page.evaluate(() => sessionStorage.clear());
    await page.goto(`${house.address}#/play/${game}`);
    await page.locator('main[data-moves="1"]').waitFor();
    await clickMove(page, '3c3d');
    await page.locator('main[data-moves="2"]').waitFor();
    await page.goto(`${house.address}#/analyse/game/${game}`);
    await expect.poll(() => page.locator('.tree-move').count()).toBe(3);
    expect(await page.locator('.comment-box').inputValue()).toBe('a plan');
    await leave(page);
  });

  it('list games page by page, and give deleted ones back', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    for (let n = 0; n < 12; n++) await ask(page, 'games', { opponent: { human: true } });
    await page.reload();
    await page.locator('[data-games="12"]').waitFor();
    expect(await page.locator('[data-listed]').count()).toBe(10);
    await page.locator('[data-page="1"]').click();
    await expect.poll(() => page.locator('[data-listed]').count()).toBe(2);
    await page.locator('[data-delete-game]').first().click();
    await page.locator('[data-games="11"]').waitFor();
    await page.locator('[data-toast-action]').click();
    await page.locator('[data-games="12"]').waitFor();
    await page.locator('[data-delete-game]').first().click();
    await page.locator('[data-bin="on"]').click();
    await page.locator('[data-restore]').click();
    await page.locator('[data-games="12"]').waitFor();
    await leave(page);
  });

  for (const [name, options] of [
    ['a desktop', { colorScheme: 'light' }], ['a dark desktop', { colorScheme: 'dark' }],
    ['a screen at 200 %', { viewport: { width: 640, height: 400 }, colorScheme: 'dark', locale: 'ja-JP' }],
    ['a phone', { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, locale: 'ja-JP' }],
  ] as const) {
    it(`have nothing axe-core objects to on ${name}`, async () => {
      const page = await visit(house, '#/analyse', options);
      await page.locator(at(0)).waitFor();
      await play(page, '7g7f', 1);
      await describeStudy(page, 'A name that is long enough to need more than one line on a phone', 'Openings', 'a, b');
      await saved(page);
      expect(await faults(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      const [board, bar] = await Promise.all(['.sg-wrap', '.study-bar'].map((part) => page.locator(part).boundingBox()));
      expect(board && bar && (board.x + board.width <= bar.x || board.y + board.height <= bar.y), 'the board covers nothing').toBe(true);
      expect(board?.x).toBeGreaterThanOrEqual(0);
      // Below the board, which stays in sight: clicked where it is.
      await page.locator('[data-studies]').dispatchEvent('click');
      await page.locator('main.studies[data-total="1"]').waitFor();
      expect(await faults(page)).toEqual([]);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      await page.locator('[data-details]').click();
      await page.locator('dialog').waitFor();
      expect(await faults(page)).toEqual([]);
      await leave(page);
    });
  }
});
