import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, clickMove, expectMoves, faults, leave, openHouse, overflow, picture, SITE, startGame, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

/** Black gives its bishop away and is soon lost; White misses a mate. */
const GAME = ['7g7f', '3c3d', '8h4d', '4c4d', '2g2f', '8c8d', '2f2e', '8d8e', '6i7h', '4a3b', '3i3h', '7a7b', '5i6h', '5a4b', '3h2g', '6a5b', '2g2f', '7b8c'];

describe('learning from mistakes', () => {
  it('asks each blunder again, with its reason, and names opening and castle', async () => {
    const page = await visit(house, '#/play');
    await startGame(page, { opponent: { human: true } });
    for (const [index, move] of GAME.entries()) {
      await page.locator('[data-move-entry]').fill(move);
      await page.keyboard.press('Enter');
      await expectMoves(page, index + 1);
    }
    await page.locator('[data-resign]').click();
    await page.locator('[data-resign-sure]').click();
    await page.locator('[data-learn-link]').click();
    // A server that is killed while it looks for mistakes begins anew when it is back.
    await page.locator('[data-lesson]').waitFor();
    if (!SITE) await house.restart('SIGKILL');
    const panel = page.locator('[data-lesson="done"]');
    await panel.waitFor({ timeout: 180000 });
    expect(Number(await panel.getAttribute('data-puzzles'))).toBeGreaterThan(0);
    await page.locator('[data-opening]').waitFor();
    await page.locator('main[data-ready="true"]').waitFor();
    // The third move gave the bishop for a pawn.
    expect(await page.locator('[data-reason]').textContent()).toMatch(/bishop/);
    expect(await page.locator('[data-reason]').getAttribute('data-reason')).toBe('loses');
    expect(await faults(page)).toEqual([]);
    await picture(page, 'lesson');
    // The same mistake again is not accepted.
    await clickMove(page, '8h4d', undefined);
    await page.locator('[data-verdict="bad"]').waitFor();
    await page.locator('[data-refutation]').click();
    await expect.poll(() => page.locator('.board-area[role="application"]').getAttribute('data-sfen'), { timeout: 20000 }).toMatch(/ b b | b bp? /);
    await page.locator('[data-backtopuzzle]').click();
    await clickMove(page, '2g2f');
    await page.locator('[data-verdict="best"], [data-verdict="good"]').waitFor();
    await page.locator('[data-solution]').waitFor();
    expect(await panel.getAttribute('data-solved')).toBe('1');
    // Its reason stands in the review of the analysis too, and the game among those of its opening.
    await page.goto(`${house.address}#/play`);
    await page.locator('[data-openings] > summary').click();
    await page.locator('.opening-list [data-opening]').waitFor();
    expect(await faults(page)).toEqual([]);
    await leave(page);
  }, 240000);
});

describe('mate problems', () => {
  it('are solved by playing, and what was not solved comes back', async () => {
    const page = await visit(house, '#/practise');
    const main = page.locator('main.tsume[data-ready="true"]');
    await main.waitFor();
    expect(await faults(page)).toEqual([]);
    await picture(page, 'tsume');
    const problem = await page.locator('main.tsume').getAttribute('data-problem');
    const answer = await ask<{ solution: { line: string[] }; progress: { met: number; solved: number } }>(page, `tsume/${problem}`, { giveUp: true });
    expect(answer.progress).toMatchObject({ met: 1, solved: 0 });
    // A wrong move first, by the keyboard, then the right ones.
    const { line } = answer.solution;
    const { legal } = await ask<{ legal: string[] }>(page, 'position', { variant: 'shogi', sfen: await page.locator('.board-area[role="application"]').getAttribute('data-sfen') });
    await page.locator('[data-move-entry]').fill(legal.find((move) => move !== line[0] && !line[0]?.startsWith(move)) ?? '');
    await page.keyboard.press('Enter');
    await page.locator('main[data-state="wrong"]').waitFor();
    for (let ply = 0; ply < line.length; ply += 2) {
      await page.locator(`main[data-moves="${ply}"][data-ready="true"]`).waitFor();
      await page.locator('[data-move-entry]').fill(line[ply] ?? '');
      await page.keyboard.press('Enter');
    }
    await page.locator('main[data-state="solved"]').waitFor();
    await page.locator('[data-next]').click();
    await expect.poll(() => page.locator('main.tsume').getAttribute('data-problem')).not.toBe(problem);
    await page.locator('[data-giveup]').click();
    await page.locator('[data-solution]').waitFor();
    expect(await faults(page)).toEqual([]);
    await leave(page);
  });

  it('fit a phone, in Japanese and in the dark', async () => {
    const page = await visit(house, '#/practise', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'ja-JP', colorScheme: 'dark' });
    await page.locator('main.tsume[data-ready="true"]').waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    expect(await faults(page)).toEqual([]);
    await picture(page, 'tsume-phone');
    await leave(page);
  });
});
