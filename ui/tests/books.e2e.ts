// The book panel: begun, filled from the board, changed and undone, grown, played, saved and read again.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { clickMove, expectMoves, faults, leave, openHouse, overflow, picture, sfen, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const at = (ply: number): string => `main[data-ply="${ply}"][data-ready="true"]`;
const row = (move: string): string => `tr[data-book-move="${move}"]`;

async function newBook(page: Page, name: string): Promise<void> {
  await page.locator(at(0)).waitFor();
  if ((await page.locator('.book[open]').count()) === 0) await page.locator('.book > summary').click();
  await page.locator('[data-book-menu] > summary').click();
  await page.locator('[data-book-new]').click();
  await page.locator('[data-book-name]').fill(name);
  await page.locator('[data-book-name-save]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.locator('[data-book-passed]').waitFor();
}

/** Plays moves, puts them into the book and goes back to the start. */
async function addLine(page: Page, moves: readonly string[]): Promise<void> {
  for (const [index, move] of moves.entries()) {
    await clickMove(page, move);
    await page.locator(at(index + 1)).waitFor();
  }
  await page.locator('[data-book-line]').click();
  await page.locator('[data-book-undo]:enabled').waitFor();
  await page.locator('[data-step="-9999"]').click();
  await page.locator(row(moves[0] ?? '')).waitFor();
}

async function setValue(page: Page, move: string, value: string): Promise<void> {
  await page.locator(`${row(move)} [data-book-edit]`).click();
  await page.locator('[data-book-value]').fill(value);
  await page.locator('[data-book-save]').click();
  await page.locator('.book-edit').waitFor({ state: 'detached' });
}

describe('the book panel', () => {
  it('has a book of Nue’s own, to be looked at and played', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('.book > summary').click();
    await expect.poll(() => page.locator('tr[data-book-move]').count()).toBeGreaterThan(1);
    expect(await page.locator('[data-book-edit], [data-grow], [data-book-undo]').count()).toBe(0);
    await page.locator('.book-move').first().click();
    await page.locator(at(1)).waitFor();
    await leave(page);
  });

  it('shows moves with values, what would be played and why not, and undoes changes', async () => {
    const page = await visit(house, '#/analyse');
    await newBook(page, 'My book');
    // The menu opens within the panel.
    await page.locator('[data-book-menu] > summary').click();
    const [menu, panel] = await Promise.all(['[data-book-menu] > div', '.panel'].map((part) => page.locator(part).boundingBox()));
    expect(menu?.x).toBeGreaterThanOrEqual(panel?.x ?? Infinity);
    expect((menu?.x ?? Infinity) + (menu?.width ?? 0)).toBeLessThanOrEqual((panel?.x ?? 0) + (panel?.width ?? 0));
    await page.locator('[data-book-menu] > summary').click();
    await addLine(page, ['7g7f', '3c3d']);
    await clickMove(page, '9g9f');
    await page.locator(at(1)).waitFor();
    await page.locator('[data-step="-1"]').click();
    await page.locator('[data-book-add-move="9g9f"]').click();
    await page.locator(row('9g9f')).waitFor();
    await setValue(page, '7g7f', '40');
    await setValue(page, '9g9f', '-60');
    await expect.poll(() => page.locator(row('7g7f')).textContent()).toContain('+40');
    expect(await page.locator(row('7g7f')).textContent()).toContain('100%');
    expect(await page.locator('.book-moves .book-more').textContent()).toContain('Not played');
    // An arrow for what would be played, none for what would not.
    expect(await page.locator('.sg-shapes g.book').count()).toBe(1);
    // The line of the book is shown where the pointer rests.
    const shown = await sfen(page);
    await page.locator(`${row('7g7f')} .book-move`).hover();
    await expect.poll(() => sfen(page)).not.toBe(shown);
    await page.mouse.move(5, 5);
    await expect.poll(() => sfen(page)).toBe(shown);
    expect(await faults(page)).toEqual([]);
    await picture(page, 'book-own');
    // Removed, and back with one click.
    await page.locator(`${row('9g9f')} [data-book-edit]`).click();
    await page.locator('[data-book-remove]').click();
    await page.locator(row('9g9f')).waitFor({ state: 'detached' });
    await page.locator('[data-toast-action]').click();
    await page.locator(row('9g9f')).waitFor();
    for (let n = 0; n < 4; n++) {
      await page.locator('[data-book-undo]:enabled').click();
      await expect.poll(() => page.locator('[data-book-redo]').isEnabled()).toBe(true);
    }
    await page.locator('[data-book-passed]').waitFor();
    await page.locator('[data-book-redo]').click();
    await page.locator(row('7g7f')).waitFor();
    await page.reload();
    await page.locator(row('7g7f')).waitFor();
    await leave(page);
  });

  it('grows from the position on the board, as one change', async () => {
    const page = await visit(house, '#/analyse');
    await newBook(page, 'Grown');
    await page.locator('.book-grow select').first().selectOption('10');
    await page.locator('[data-grow]').click();
    await page.locator('[data-growth="done"]').waitFor({ timeout: 90000 });
    expect(await page.locator('tr[data-book-move]').count()).toBeGreaterThanOrEqual(4);
    expect(await page.locator('tr[data-book-move]').first().textContent()).toMatch(/[+−]?\d+/);
    await page.locator('[data-book-undo]').click();
    await page.locator('[data-book-passed]').waitFor();
    await leave(page);
  });

  it('is played against, and the game is found in it', async () => {
    const page = await visit(house, '#/analyse');
    await newBook(page, 'Edge');
    await addLine(page, ['1g1f', '9c9d']);
    await page.locator('[data-book-play]').click();
    expect(await page.locator('[data-from-book]').textContent()).toContain('Edge');
    await page.locator('dialog [data-natural]').uncheck();
    await page.locator('dialog input[value="white"]').check({ force: true });
    await page.locator('dialog [data-start]').click();
    await page.locator('main[data-game]').waitFor();
    await expectMoves(page, 1);
    expect(await sfen(page)).toContain('/8P/');
    await page.locator('[data-screen="analyse"]').click();
    await page.locator('[data-book-games="1"]').waitFor();
    await page.locator('.book-games > summary').click();
    expect(await page.locator('.book-games li').textContent()).toContain('P-1f');
    await leave(page);
  });

  it('is saved as a file and read again; what is no book is refused in words', async () => {
    const page = await visit(house, '#/analyse', { acceptDownloads: true, locale: 'ja' });
    await newBook(page, '定跡の本');
    await addLine(page, ['2g2f', '8c8d']);
    await page.locator('[data-book-menu] > summary').click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('[data-book-file="db"]').click()]);
    expect(download.suggestedFilename()).toBe('定跡の本.db');
    const text = readFileSync(await download.path());
    expect(text.toString()).toMatch(/^#YANEURAOU-DB2016/);
    await page.locator('[data-book-menu] > summary').click();
    await page.locator('[data-book-delete]').click();
    await expect.poll(() => page.locator('[data-book-choice]').textContent()).not.toContain('定跡の本');
    await page.locator('[data-book-input]').setInputFiles({ name: '読む.db', mimeType: 'text/plain', buffer: text });
    await page.locator(row('2g2f')).waitFor();
    await expect.poll(() => page.locator('[data-book-choice]').textContent()).toContain('読む');
    await page.locator('[data-book-input]').setInputFiles({ name: 'x.db', mimeType: 'text/plain', buffer: Buffer.from('nonsense') });
    await page.locator('.toast.bad').waitFor();
    expect(await page.locator('.toast').textContent()).toContain('読めませんでした');
    await leave(page);
  });

  for (const [width, colorScheme] of [[390, 'dark'], [320, 'light']] as const) {
    it(`fits a phone (${width}, ${colorScheme})`, async () => {
      const page = await visit(house, '#/analyse', { viewport: { width, height: 700 }, hasTouch: true, isMobile: true, colorScheme, locale: 'ja' });
      await newBook(page, '携帯');
      await addLine(page, ['7g7f', '3c3d']);
      await setValue(page, '7g7f', '25');
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      expect(await faults(page)).toEqual([]);
      await picture(page, `book-${width}`);
      await leave(page);
    });
  }
});
