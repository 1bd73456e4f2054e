import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, clickSquare, expectMoves, leave, myTurn, newGame, openHouse, picture, sfen, SITE, startGame, tapSquare, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

describe('playing', () => {
  it('a whole game to mate by clicking, with a promotion declined and a drop', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { against: 'human' });
    const moves: [string, ('stay' | 'promote')?][] = [['7g7f'], ['5c5d'], ['8h3c', 'stay'], ['3a4b'], ['3c4b', 'stay'], ['5a5b'], ['S*5c']];
    for (const [index, [move, choice]] of moves.entries()) {
      await myTurn(page, index);
      await clickMove(page, move, choice);
      await expectMoves(page, index + 1);
      // The pointer rests on the square that was moved to, which is not marked as if it were selected.
      await expect.poll(() => page.locator('sq.hover').count()).toBe(0);
    }
    const status = page.locator('[data-status="over"]');
    await status.waitFor();
    expect(await status.getAttribute('data-reason')).toBe('mate');
    expect(await status.textContent()).toContain('Checkmate. Black wins.');
    expect(await page.locator('[data-announcement]').textContent()).toContain('Checkmate');
    await leave(page);
  });

  it('a promotion by choice, and taking back', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { against: 'human' });
    for (const [index, move] of ['7g7f', '3c3d'].entries()) {
      await myTurn(page, index);
      await clickMove(page, move);
      await expectMoves(page, index + 1);
    }
    await myTurn(page, 2);
    // Escape takes the question back, and the move with it.
    await clickSquare(page, '8h');
    await clickSquare(page, '2b');
    await page.locator('sg-promotion-choices').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('sg-promotion-choices').first().waitFor({ state: 'hidden' });
    await clickMove(page, '8h2b', 'promote');
    await expectMoves(page, 3);
    expect(await sfen(page)).toContain('1r5+B1');
    await page.locator('[data-takeback]').click();
    await expectMoves(page, 2);
    expect(await sfen(page)).toContain('1r5b1');
    await leave(page);
  });

  it('an answer from Nue, a hint, a reload in the middle, a restart of the server, resigning', async () => {
    const page = await visit(house, '#/play');
    await newGame(page);
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    await page.locator('[data-hint-button]').click();
    const hint = page.locator('[data-hint]');
    await hint.waitFor();
    expect(await hint.getAttribute('data-hint')).toMatch(/^([1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])$/);
    const before = await sfen(page);
    await page.reload();
    await myTurn(page, 2);
    expect(await sfen(page)).toBe(before);
    if (!SITE) {
      const noticed = page.locator('.trouble').waitFor();
      await house.restart();
      await noticed;
      await page.locator('.trouble').waitFor({ state: 'detached' });
      await myTurn(page, 2);
      expect(await sfen(page)).toBe(before);
    }
    await page.locator('[data-resign]').click();
    await page.locator('[data-resign-sure]').click();
    await page.locator('[data-status="over"][data-reason="resign"]').waitFor();
    expect(await page.locator('.status-text').textContent()).toBe('Resigned. You lose.');
    await leave(page);
  });

  it('with a handicap the form says as which level Nue plays', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-adaptive]').uncheck();
    await page.locator('[data-level]').fill('5');
    expect(await page.locator('[data-like]').count()).toBe(0);
    const like = async (side: string): Promise<number> => {
      await page.locator('.new-game select').first().selectOption('6');
      await page.locator(`.new-game input[value="${side}"]`).check({ force: true });
      return Number(await page.locator('[data-like]').getAttribute('data-like'));
    };
    expect(await like('black')).toBeLessThan(5);
    expect(await like('white')).toBeGreaterThan(5);
    await leave(page);
  });
  it('a handicap game: Nue gives the pieces and moves first', async () => {
    const page = await visit(house, '#/play');
    const handicap = await page.locator('.new-game select').first().locator('option').nth(2).getAttribute('value');
    await newGame(page, { handicap: handicap ?? 'bishop' });
    await myTurn(page, 1);
    expect((await sfen(page)).split(' ')[0]).not.toContain('lnsgkgsnl/1r5b1');
    await clickMove(page, '7g7f');
    await myTurn(page, 3);
    await leave(page);
  });

  it('a game of minishogi', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { game: 'minishogi' });
    await myTurn(page, 0);
    expect(await page.locator('.board-area[role="application"].size-5 sq').count()).toBe(25);
    await clickMove(page, '5d5c');
    await page.locator('main[data-moves="2"]').waitFor();
    await picture(page, 'minishogi');
    await leave(page);
  });

  it('a move made ahead is played when its turn comes', async () => {
    const page = await visit(house);
    // The answer to the first move is held back until the next one is made.
    let held: (() => void)[] | null = null;
    await page.routeWebSocket(/\/api\/ws$/, (near) => {
      const far = near.connectToServer();
      near.onMessage((message) => far.send(message));
      far.onMessage((message) => (held ? held.push(() => near.send(message)) : near.send(message)));
    });
    await page.reload();
    await newGame(page);
    await myTurn(page, 0);
    held = [];
    await clickMove(page, '7g7f');
    await clickMove(page, '2g2f');
    await page.locator('sq.current-pre').first().waitFor();
    const waiting = held;
    held = null;
    for (const send of waiting) send();
    await myTurn(page, 4);
    expect(await page.locator('.moves .text').nth(2).textContent()).toBe('P-2f');
    await leave(page);
  });

  it('a finger: taps move pieces', async () => {
    const page = await visit(house, '#/play', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await newGame(page, { against: 'human' });
    await myTurn(page, 0);
    await tapSquare(page, '7g');
    await page.locator('sq.selected').waitFor();
    await tapSquare(page, '7f');
    await expectMoves(page, 1);
    await leave(page);
  });

  it('the keyboard alone: the cursor, and a typed move', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { against: 'human' });
    await myTurn(page, 0);
    await page.locator('.board-area[role="application"]').focus();
    // The cursor begins on 5i: two up to 5g, two left to 7g, take; one up, put down.
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    expect(await page.locator('[data-announcement]').textContent()).toContain('7g Black pawn selected');
    for (const key of ['ArrowUp', 'Enter']) await page.keyboard.press(key);
    await expectMoves(page, 1);
    await page.locator('[data-move-entry]').fill('3四歩');
    await page.keyboard.press('Enter');
    await expectMoves(page, 2);
    expect(await page.locator('[data-announcement]').textContent()).toContain('P-3d');
    // Bishop from 8h to 2b, where promotion is asked for.
    await myTurn(page, 2);
    await page.locator('.board-area[role="application"]').focus();
    for (const key of ['ArrowUp', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft', 'Enter']) await page.keyboard.press(key);
    for (let count = 0; count < 6; count++) {
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Enter');
    await page.locator('.promotion-question').waitFor();
    await page.keyboard.press('Enter');
    await expectMoves(page, 3);
    expect(await sfen(page)).toContain('1r5+B1');
    await leave(page);
  });

  it('a declaration of the win, offered when it holds', async () => {
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    await startGame(page, { variant: 'shogi', start: '3GKG3/2GS1SG2/1+R+B3+B+R1/9/9/9/9/9/4k4 b 2P 1', side: 'black', opponent: { level: 1 } });
    await page.locator('[data-declare]').click();
    await page.locator('[data-status="over"][data-reason="declaration"]').waitFor();
    expect(await page.locator('.status-text').textContent()).toBe('Win declared with the king in the camp. You win!');
    await page.locator('[data-flip]').click();
    await page.locator('.sg-wrap.orientation-gote').waitFor();
    await leave(page);
  });

  it('a game as White is analysed from that side', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { side: 'white' });
    await myTurn(page, 1);
    // The tab says whose turn it is.
    expect(await page.title()).toMatch(/^● Your move\..* – Nue/);
    await page.locator('[data-resign]').click();
    await page.locator('[data-resign-sure]').click();
    await page.locator('[data-analyse]').click();
    await page.locator('main .sg-wrap.orientation-gote').waitFor();
    await leave(page);
  });

  it('a move that is not legal stays on the square it came from', async () => {
    const page = await visit(house, '#/play');
    await newGame(page, { against: 'human' });
    await myTurn(page, 0);
    const before = await sfen(page);
    await clickSquare(page, '7g');
    await clickSquare(page, '7e');
    expect(await page.locator('main').getAttribute('data-moves')).toBe('0');
    expect(await sfen(page)).toBe(before);
    await clickMove(page, '7g7f');
    await expectMoves(page, 1);
    await leave(page);
  });
});
