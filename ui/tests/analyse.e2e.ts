import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, leave, NUE, openHouse, picture, sfen, SITE, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse(['--engine', `cmd=${NUE},name=Second`]);
});
afterAll(async () => house?.close());

const KIF = `手合割：平手
先手：Aoi
後手：Ren
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:02/00:00:02)
   2 ３四歩(33)   ( 0:03/00:00:03)
*a comment
   3 ２六歩(27)   ( 0:01/00:00:03)
   4 ８四歩(83)   ( 0:04/00:00:07)
   5 ２五歩(26)   ( 0:01/00:00:04)
   6 ３三角(22)   ( 0:02/00:00:09)
   7 ３三角成(88) ( 0:09/00:00:13)
   8 同　桂(21)   ( 0:01/00:00:10)
   9 投了

変化：3手
   3 ６六歩(67)   ( 0:05/00:00:07)
`;

async function openKif(page: Awaited<ReturnType<typeof visit>>): Promise<void> {
  await page.locator('[data-open]').click();
  await page.locator('[data-paste]').fill(KIF);
  await page.locator('[data-open-text]').click();
  await page.locator('dialog').waitFor({ state: 'detached' });
}

const at = (ply: number): string => `main[data-ply="${ply}"][data-ready="true"]`;

describe('analysing', () => {
  it('opens a KIF, steps through it and into its variation', async () => {
    const page = await visit(house, '#/analyse');
    await openKif(page);
    await page.locator(at(0)).waitFor();
    expect(await page.locator('.board-column').textContent()).toContain('Aoi');
    for (let ply = 1; ply <= 3; ply++) {
      await page.locator('[data-step="1"]').click();
      await page.locator(at(ply)).waitFor();
    }
    expect(await sfen(page)).toContain('/2P4P1/PP1PPPP1P/');
    await page.locator('[data-step="9999"]').click();
    await page.locator('main[data-ply="8"]').waitFor();
    expect(await page.locator('.tree .comment').first().textContent()).toBe('a comment');
    await page.locator('.variation .tree-move').first().click();
    await page.locator(at(3)).waitFor();
    expect(await sfen(page)).toContain('/2PP5/');
    await clickMove(page, '8c8d');
    await page.locator(at(4)).waitFor();
    await page.reload();
    await page.locator(at(4)).waitFor();
    await leave(page);
  });

  it('streams lines of the engine that follow the board', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    await clickMove(page, '7g7f');
    await page.locator(at(1)).waitFor();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    await expect.poll(() => page.locator('.win-bar').getAttribute('data-winrate'), { timeout: 20000 }).toMatch(/^[01](\.\d+)?$/);
    const shown = await sfen(page);
    // Lines come and go as the engine thinks: the pointer waits on the place of the first move.
    await expect.poll(async () => {
      await page.locator('[data-slot="a"] .engine-line .word').first().hover();
      return sfen(page);
    }, { timeout: 20000 }).not.toBe(shown);
    await page.mouse.move(5, 5);
    await expect.poll(() => sfen(page)).toBe(shown);
    if (!SITE) {
      await page.locator('[data-compare]').click();
      await page.locator('[data-slot="b"] .engine-line').first().waitFor();
      // The other search of this program is always there to compare with.
      expect(await page.locator('[data-slot="b"] select').inputValue()).toBe('nue-tree');
      await page.locator('[data-compare]').click();
    }
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"][data-state="off"]').waitFor();
    await leave(page);
  });

  it('examines the whole game and shows the graph', async () => {
    const page = await visit(house, '#/analyse', { viewport: { width: 1440, height: 900 } });
    await openKif(page);
    await page.locator(at(0)).waitFor();
    await page.locator('.review input[value="quick"]').check({ force: true });
    await page.locator('[data-review-start]').click();
    await page.locator('[data-review="done"]').waitFor();
    await page.locator('.graph[data-points="9"] canvas').waitFor();
    expect(await page.locator('.graph [data-ply="8"]').textContent()).toMatch(/^\d+%$/);
    // The table for those who do not see the curve takes no place on the page.
    expect((await page.locator('.graph .unseen').boundingBox())?.height).toBeLessThan(3);
    const curve = page.locator('.curve .u-over');
    const box = await curve.boundingBox();
    if (!box) throw new Error('there is no curve');
    await curve.click({ position: { x: box.width - 2, y: box.height / 2 } });
    await page.locator('main[data-ply="8"]').waitFor();
    await picture(page, 'analyse');
    // Once more, more thoroughly, and by the other engine.
    expect(await page.locator('[data-review-by="quick"]').textContent()).toContain('Nue');
    await page.locator('.review input[value="normal"]').check({ force: true });
    await page.locator('[data-review-start]').click();
    await page.locator('[data-review="done"] [data-review-by="normal"]').waitFor({ timeout: 90000 });
    if (SITE) return leave(page);
    await page.locator('.review select').selectOption({ index: 1 });
    await page.locator('.review input[value="quick"]').check({ force: true });
    await page.locator('[data-review-start]').click();
    await page.locator('[data-review="done"] [data-review-by="quick"]').waitFor({ timeout: 90000 });
    expect(await page.locator('[data-review-by]').textContent()).toContain('tree search');
    await leave(page);
  });

  it('writes the game in other formats', async () => {
    const page = await visit(house, '#/analyse');
    await openKif(page);
    await page.locator('[data-export-open]').click();
    const text = page.locator('[data-export]');
    for (const [format, sign] of [['csa', '+7776FU'], ['usi', '7g7f'], ['jkf', '"moves"'], ['kif', '７六歩']] as const) {
      await page.locator('dialog select').first().selectOption(format);
      await expect.poll(() => text.inputValue(), { timeout: 20000 }).toContain(sign);
    }
    await leave(page);
  });

  it('finds a mate and plays it out', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator('[data-open]').click();
    await page.locator('[data-paste]').fill('4k4/9/4P4/9/9/9/9/9/4K4 b G 1');
    await page.locator('[data-open-text]').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator(at(0)).waitFor();
    await page.locator('[data-mate-start]').click();
    await page.locator('[data-mate="mate"]').waitFor();
    await page.locator('[data-playout]').click();
    await page.locator('main[data-ply="1"]').waitFor();
    expect(await sfen(page)).toContain('4G4/4P4');
    await leave(page);
  });

  it('says what an engine needs where a king is missing, and finds the mate all the same', async () => {
    const page = await visit(house, '#/analyse/position/4k4~9~4P4~9~9~9~9~9~9_b_G_1');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-engine="a"]').click();
    expect(await page.locator('[data-engine-problem="a"]').textContent()).toContain('both kings');
    await page.locator('[data-mate-start]').click();
    await page.locator('[data-mate="mate"]').waitFor();
    await page.locator('[data-playout]').click();
    await page.locator(at(1)).waitFor();
    await page.locator('[data-review-start]').click();
    expect(await page.locator('[data-review-problem]').textContent()).toContain('both kings');
    await leave(page);
  });

  it('sets up a position', async () => {
    const page = await visit(house, '#/analyse');
    await page.locator('[data-edit]').click();
    const field = page.locator('[data-editor-sfen]');
    await field.fill('4k4/9/9/9/9/9/9/9/4K4 w 2R 1');
    await field.press('Enter');
    await page.locator('[data-editor-analyse]').click();
    await page.locator(at(0)).waitFor();
    expect(await sfen(page)).toContain('4k4/9/9/9/9/9/9/9/4K4 w');
    await leave(page);
  });
});
