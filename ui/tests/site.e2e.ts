import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, expectMoves, leave, myTurn, newGame, overflow, picture, sfen, visit } from './harness';
import { missing, openSite, type Site } from './site';

let site: Site;
beforeAll(async () => {
  if (!missing) site = await openSite();
});
afterAll(async () => site?.close());

const at = (ply: number): string => `main[data-ply="${ply}"][data-ready="true"]`;

describe.skipIf(missing)('without a server', () => {
  it('a game against a level, a hint, a reload in the middle', async () => {
    const page = await visit(site, '#/play');
    expect(await page.locator('[data-screen]').count()).toBe(3);
    await newGame(page, { level: 2 });
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    await page.locator('[data-hint-button]').click();
    await page.locator('[data-hint]').waitFor();
    const before = await sfen(page);
    await page.reload();
    await myTurn(page, 2);
    expect(await sfen(page)).toBe(before);
    await picture(page, 'site');
    await page.locator('[data-takeback]').click();
    await expectMoves(page, 0);
    await leave(page);
    expect(site.asked().filter((path) => path.startsWith('/api'))).toEqual([]);
  });

  it('minishogi, whose net is fetched when it is wanted', async () => {
    const page = await visit(site, '#/play');
    await newGame(page, { game: 'minishogi', side: 'white', level: 3 });
    await myTurn(page, 1);
    await leave(page);
    expect(site.asked().some((path) => path.includes('minishogi-'))).toBe(true);
  });

  it('analysis with lines that follow the board', async () => {
    const page = await visit(site, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    await clickMove(page, '7g7f');
    await page.locator(at(1)).waitFor();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    await expect.poll(() => page.locator('.win-bar').getAttribute('data-winrate'), { timeout: 60000 }).toMatch(/^[01](\.\d+)?$/);
    await page.locator('[data-engine="a"]').click();
    await leave(page);
  });

  it('a record is opened and stepped through', async () => {
    const page = await visit(site, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-open]').click();
    await page.locator('[data-paste]').fill('手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:02/00:00:02)\n   2 ３四歩(33)   ( 0:03/00:00:03)\n');
    await page.locator('[data-open-text]').click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.locator('[data-step="9999"]').click();
    await page.locator(at(2)).waitFor();
    expect(await sfen(page)).toContain('/pppppp1pp/6p2/');
    await leave(page);
  });

  it('mate problems, on a phone', async () => {
    const page = await visit(site, '#/practise', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await page.locator('[data-tsume-status]').first().waitFor();
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await leave(page);
  });

  it('opens again where no host can be reached', async () => {
    const page = await visit(site, '#/play', { serviceWorkers: 'allow' });
    // The worker of the page has everything once it is at work.
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.context().setOffline(true);
    await page.reload();
    await newGame(page, { level: 1 });
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    await leave(page);
  });

  it('the signature of the executable, and no more than 3 MB', async () => {
    const page = await visit(site);
    const result = await page.evaluate(async () => {
      const facts = (await (await fetch('./site.json')).json()) as { module: string; nets: { shogi: string } };
      const bytes = async (name: string): Promise<Uint8Array> => new Uint8Array(await (await fetch(name)).arrayBuffer());
      const imports = { now: () => performance.now(), wall: () => Date.now(), tell: () => undefined };
      const { instance } = await WebAssembly.instantiate((await bytes(facts.module)) as BufferSource, { nue: imports });
      // The module's functions, as crates/offline/src/exports.rs has them.
      const nue = instance.exports as unknown as { memory: WebAssembly.Memory; allocate: (n: number) => number; engine_new: (mib: number) => number; engine_load: (e: number, s: number, n: number) => number; engine_bench: (e: number, g: number, d: number) => bigint };
      const net = await bytes(facts.nets.shogi);
      const start = nue.allocate(net.length) >>> 0;
      new Uint8Array(nue.memory.buffer, start, net.length).set(net);
      const engine = nue.engine_new(1);
      if (!nue.engine_load(engine, start, net.length)) throw new Error('the net cannot be used');
      const both = BigInt.asUintN(64, nue.engine_bench(engine, 0, 10));
      const text = new TextDecoder().decode(new Uint8Array(nue.memory.buffer, Number(both >> 32n), Number(both & 0xffffffffn)));
      return JSON.parse(text) as { nodes: number; ms: number };
    });
    console.log(`${result.nodes} nodes in ${result.ms} ms: ${Math.round(result.nodes / result.ms)} thousand a second`);
    // The same number stands in crates/assembly/src/bench.rs.
    expect(result.nodes).toBe(106060);
    const fetched = new Set(site.asked().filter((path) => !path.includes('minishogi-')));
    const size = [...fetched].reduce((sum, path) => sum + (statSync(join(site.folder, path), { throwIfNoEntry: false })?.size ?? 0), 0);
    expect(size).toBeLessThan(3e6);
    await leave(page);
  });
});
