// Records in and out of the page: pasted, dropped, linked to, described, saved; and positions set up by hand.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { clickMove, expectMoves, leave, myTurn, newGame, openHouse, picture, sfen, SITE, squareMiddle, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

const USI = 'position startpos moves 7g7f 3c3d 2g2f 8c8d';
const at = (ply: number): string => `main.analyse[data-ply="${ply}"][data-ready="true"]`;

/** The clipboard's text reaches the page as Ctrl+V would bring it. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((words) => {
    const data = new DataTransfer();
    data.setData('text/plain', words);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

describe('records', () => {
  it('opens what is pasted or dropped anywhere', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    await paste(page, USI);
    await page.locator(at(0)).waitFor();
    await expect.poll(() => page.locator('.tree-move').count()).toBe(5);
    const elsewhere = SITE ? 'practise' : 'watch';
    await page.locator(`[data-screen="${elsewhere}"]`).click();
    await page.locator(`main.${elsewhere}`).waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['V2\nN+Aoi\nN-Ren\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n'], 'game.csa'));
      document.body.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page.locator('.drop-here').waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['V2\nN+Aoi\nN-Ren\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n'], 'game.csa'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await expect.poll(() => page.locator('.board-column').textContent()).toContain('Aoi');
    // What is no record is left in the dialog, with the reason.
    await paste(page, 'no record at all');
    await page.locator('dialog .problem').waitFor();
    expect(await page.locator('[data-paste]').inputValue()).toBe('no record at all');
    await leave(page);
  });

  it('steps with the wheel, and shows its keys on a sheet', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await paste(page, USI);
    await expect.poll(() => page.locator('.tree-move').count()).toBe(5);
    const { x, y } = await squareMiddle(page, '5e');
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 120);
    await page.locator(at(1)).waitFor();
    await page.mouse.wheel(0, 120);
    await page.locator(at(2)).waitFor();
    await page.mouse.wheel(0, -120);
    await page.locator(at(1)).waitFor();
    await page.keyboard.press('f');
    await page.locator('.sg-wrap.orientation-gote').waitFor();
    await page.keyboard.press('?');
    await page.locator('[data-help]').waitFor();
    await picture(page, 'help');
    await page.keyboard.press('Escape');
    await page.locator('[data-help]').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+s');
    await page.locator('[data-export]').waitFor();
    await leave(page);
  });

  it('shares a game and a position by link', async () => {
    const page = await visit(house, '#/analyse', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.locator(at(0)).waitFor();
    await paste(page, USI);
    await expect.poll(() => page.locator('.tree-move').count()).toBe(5);
    for (let ply = 1; ply <= 2; ply++) {
      await page.locator('[data-step="1"]').click();
      await page.locator(at(ply)).waitFor();
    }
    const shown = await sfen(page);
    await page.locator('[data-export-open]').click();
    await page.locator('[data-share-game]').click();
    await page.locator('.toast').waitFor();
    const game = await page.evaluate(() => navigator.clipboard.readText());
    expect(game).toContain('#/analyse/line/shogi/7g7f.3c3d.2g2f.8c8d/2');
    await page.locator('[data-share-position]').click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('#/analyse/position/');
    const position = await page.evaluate(() => navigator.clipboard.readText());
    await leave(page);
    // Another browser opens them.
    const friend = await visit(house, new URL(game).hash);
    await friend.locator(at(2)).waitFor();
    expect(await sfen(friend)).toBe(shown);
    expect(await friend.locator('.tree-move').count()).toBe(5);
    await friend.goto(position);
    await friend.locator(at(0)).waitFor();
    await expect.poll(async () => (await sfen(friend)).split(' ')[0]).toBe(shown.split(' ')[0]);
    await leave(friend);
  });

  it('shows headers, changes them, and names the file by day and players', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await paste(page, 'V2\nN+Aoi\nN-Ren\n$EVENT:Cup\n$START_TIME:2026/11/06 10:00:00\nPI\n+\n+7776FU\n%TORYO\n');
    await page.locator('[data-headers] summary').click();
    const field = (name: string) => page.locator(`[data-header="${name}"]`);
    await expect.poll(() => field('棋戦').inputValue()).toBe('Cup');
    await field('後手').fill('Mio/2');
    await field('後手').press('Tab');
    await expect.poll(() => page.locator('.board-column').textContent()).toContain('Mio/2');
    await page.locator('[data-export-open]').click();
    await expect.poll(() => page.locator('[data-export]').inputValue()).toContain('後手：Mio/2');
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('[data-save-file]').click()]);
    expect(file.suggestedFilename()).toBe('20261106_Aoi_Mio_2.kif');
    await leave(page);
  });

  it('a game played here is saved under the names of both', async () => {
    const page = await visit(house, '#/play', { locale: 'ja-JP' });
    await page.locator('[data-start]').waitFor();
    await newGame(page);
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await expectMoves(page, 2);
    await page.locator('.menu summary').click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('[data-save="kif"]').click()]);
    expect(file.suggestedFilename()).toMatch(/^\d{8}_あなた_.+\.kif$/);
    await leave(page);
  });
});

describe('the editor', () => {
  const text = (page: Page): Promise<string> => page.locator('[data-editor-sfen]').inputValue();
  const board = (page: Page, square: string) => squareMiddle(page, square, '.editor .board-area');

  it('drags, turns, fills hands, undoes, keeps, and plays from there', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-edit]').click();
    await page.locator('[data-empty]').click();
    const drag = async (piece: string, square: string): Promise<void> => {
      const box = await page.locator(`[data-piece="${piece}"]`).boundingBox();
      if (!box) throw new Error(`no ${piece}`);
      const { x, y } = await board(page, square);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(x, y, { steps: 6 });
      await page.mouse.up();
    };
    await drag('white K', '5a');
    await drag('black K', '5i');
    await drag('black P', '5c');
    await expect.poll(() => text(page)).toBe('4k4/9/4P4/9/9/9/9/9/4K4 b - 1');
    const { x, y } = await board(page, '5c');
    await page.mouse.click(x, y, { button: 'right' });
    await expect.poll(() => text(page)).toContain('/4+P4/');
    await page.mouse.click(x, y, { button: 'right' });
    await expect.poll(() => text(page)).toContain('/4p4/');
    await page.locator('[data-undo]').click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => text(page)).toContain('/4P4/');
    await page.locator('[data-more="black G"]').click();
    await page.locator('[data-more="black G"]').click();
    await page.locator('[data-more="black G"]').click({ button: 'right' });
    await expect.poll(() => text(page)).toBe('4k4/9/4P4/9/9/9/9/9/4K4 b G 1');
    // A drag from the palette chose nothing: the board's pieces are still moved, here onto a hand.
    expect(await page.locator('[data-tool="hand"]').getAttribute('aria-pressed')).toBe('true');
    const hand = await page.locator('[data-editor-hand="white"] legend').boundingBox();
    if (!hand) throw new Error('there is no hand');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(hand.x + 20, hand.y + 10, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => text(page)).toBe('4k4/9/9/9/9/9/9/9/4K4 b Gp 1');
    await page.locator('[data-undo]').click();
    await page.locator('[data-rest]').click();
    await expect.poll(() => text(page)).toBe('4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1');
    await picture(page, 'editor');
    // A reload and another screen lose nothing.
    await page.reload();
    await expect.poll(() => text(page)).toContain('2r2b3g4s4n4l17p');
    await page.locator('[data-screen="play"]').click();
    await page.locator('[data-start]').waitFor();
    await page.locator('[data-screen="analyse"]').click();
    await expect.poll(() => text(page)).toContain('2r2b3g4s4n4l17p');
    // Any level, clock and rule.
    await page.locator('[data-editor-play]').click();
    await page.locator('dialog .new-game').waitFor();
    await page.locator('dialog input[value="human"]').check({ force: true });
    await page.locator('dialog [data-rules] summary').click();
    await page.locator('dialog [data-limit]').fill('7');
    await page.locator('dialog [data-start]').click();
    await page.locator('main[data-game]').waitFor();
    expect(await sfen(page)).toContain('4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p');
    await leave(page);
  });

  it('says in the page’s language what is wrong', async () => {
    const page = await visit(house, '#/analyse', { locale: 'ja-JP' });
    await page.locator(at(0)).waitFor();
    await page.locator('[data-edit]').click();
    await page.locator('[data-editor-sfen]').fill('4k4/9/4P4/4P4/9/9/9/9/9 b - 1');
    await page.locator('[data-editor-sfen]').press('Enter');
    await page.locator('[data-editor-play]').click();
    await page.locator('.problem').first().waitFor();
    expect(await page.locator('ul.problem').textContent()).toBe('先手の玉がありません。先手が5筋で二歩です。');
    await page.locator('[data-editor-cancel]').click();
    await page.locator(at(0)).waitFor();
    await leave(page);
  });
});
