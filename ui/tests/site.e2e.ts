import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, expectMoves, leave, myTurn, newGame, NUE, overflow, picture, sfen, tapSquare, visit } from './harness';
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

  it('a game on a phone, by finger', async () => {
    const page = await visit(site, '#/play', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'ja-JP' });
    await newGame(page, { level: 1 });
    await myTurn(page, 0);
    await tapSquare(page, '7g');
    await tapSquare(page, '7f');
    await myTurn(page, 2);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await picture(page, 'site-phone');
    await leave(page);
  });

  it('board and engine have workers of their own, and the page answers while they search', async () => {
    const page = await visit(site, '#/analyse');
    await page.locator(at(0)).waitFor();
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    const workers = page.workers().map((worker) => new URL(worker.url()).pathname);
    expect(workers.some((path) => path.startsWith('/assets/board-'))).toBe(true);
    expect(workers.some((path) => path.startsWith('/assets/engine-'))).toBe(true);
    for (const [index, move] of ['7g7f', '3c3d', '2g2f'].entries()) {
      await clickMove(page, move);
      await page.locator(at(index + 1)).waitFor();
    }
    await leave(page);
  });

  it('what one window does, another shows', async () => {
    const page = await visit(site, '#/analyse');
    await page.locator(at(0)).waitFor();
    await clickMove(page, '7g7f');
    await page.locator('[data-saving="saved"]').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.locator(at(1)).waitFor();
    await clickMove(other, '3c3d');
    await other.locator('[data-saving="saved"]').waitFor();
    await expect.poll(() => page.locator('.tree-move').count(), { timeout: 60000 }).toBe(3);
    await leave(page);
  });

  it('opens again where no host can be reached, in all its screens', async () => {
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
    await page.locator('[data-screen="practise"]').click();
    await page.locator('main.tsume[data-ready="true"]').waitFor();
    await page.locator('[data-screen="analyse"]').click();
    await page.locator('main.analyse[data-ready="true"]').waitFor();
    await page.locator('[data-edit]').click();
    await page.locator('main.editor').waitFor();
    await leave(page);
  });

  it('from the second visit on ends a search without losing its table', async () => {
    const page = await visit(site, '#/analyse', { serviceWorkers: 'allow' });
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await page.reload();
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await page.locator(at(0)).waitFor();
    await page.locator('[data-engine="a"]').click();
    await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    const engine = page.workers().find((worker) => worker.url().includes('/engine-'));
    let ended = false;
    engine?.on('close', () => { ended = true; });
    for (const [index, move] of ['7g7f', '3c3d'].entries()) {
      await clickMove(page, move);
      await page.locator(at(index + 1)).waitFor();
      await page.locator('[data-slot="a"] .engine-line').first().waitFor();
    }
    expect(engine).toBeDefined();
    expect(ended).toBe(false);
    await leave(page);
  });

  it('a first visit takes no more than 3 MB over the wire', async () => {
    const fresh = await openSite();
    const page = await visit(fresh, '#/play', { serviceWorkers: 'allow' });
    await newGame(page, { level: 1 });
    await myTurn(page, 0);
    await clickMove(page, '7g7f');
    await myTurn(page, 2);
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await leave(page);
    const [all, module, net] = [/./, /\.wasm$/, /\.nnz$/].map((path) => fresh.sent((name) => path.test(name)));
    console.log(`over the wire: ${all} bytes, of them ${module} the module and ${net} the net`);
    await fresh.close();
    expect(module).toBeGreaterThan(100_000);
    expect(net).toBeGreaterThan(100_000);
    expect(all).toBeLessThanOrEqual(3_000_000);
  });

  it('the signature of the executable', async () => {
    // The same numbers stand in crates/assembly/src/bench.rs.
    expect((await bench('shogi', 10)).nodes, 'of shogi (an old module? "cargo xtask wasm" builds it anew)').toBe(106_060);
    expect((await bench('minishogi', 10)).nodes).toBe(28_802);
  });

  // On request, on a machine that has nothing else to do: NUE_SPEED=1 NUE=../target/dist/nue npm run e2e -- site
  it.skipIf(process.env.NUE_SPEED === undefined)('as many nodes a second as is promised', async () => {
    const { nodes, ms } = await bench('shogi', 16);
    // With the net for shogi, and piece values for minishogi.
    const native = execFileSync(NUE, ['bench', '--net', resolve(import.meta.dirname, '../../nets/shogi.nnz')], { encoding: 'utf8' });
    console.log(`in the browser ${nodes} nodes, ${Math.round((1000 * nodes) / ms)} a second; natively:\n${native}`);
    expect(nodes).toBe(2_675_125);
    expect((1000 * nodes) / ms).toBeGreaterThanOrEqual(0.3 * Number(/nps: (\d+)/.exec(native)?.[1]));
  }, 600_000);
});

/** The fixed positions of a game, searched in the browser by a module of their own. */
async function bench(game: 'shogi' | 'minishogi', depth: number): Promise<{ nodes: number; ms: number }> {
  // A page without the policy of the board, which would not let a debugger compile.
  const page = await visit(site, 'NOTICES.txt');
  const result = await page.evaluate(async ([which, plies]) => {
    const facts = (await (await fetch('./site.json')).json()) as { module: string; nets: Record<string, string> };
    const bytes = async (name: string): Promise<Uint8Array> => new Uint8Array(await (await fetch(name)).arrayBuffer());
    const imports = { now: () => performance.now(), wall: () => Date.now(), tell: () => undefined };
    const { instance } = await WebAssembly.instantiate((await bytes(facts.module)) as BufferSource, { nue: imports });
    // The module's functions, as crates/offline/src/exports.rs has them.
    const nue = instance.exports as unknown as { memory: WebAssembly.Memory; allocate: (n: number) => number; engine_new: (mib: number) => number; engine_load: (e: number, s: number, n: number) => number; engine_bench: (e: number, g: number, d: number) => bigint };
    const net = await bytes(facts.nets[which] ?? '');
    const start = nue.allocate(net.length) >>> 0;
    new Uint8Array(nue.memory.buffer, start, net.length).set(net);
    const engine = nue.engine_new(1);
    if (!nue.engine_load(engine, start, net.length)) throw new Error('the net cannot be used');
    const both = BigInt.asUintN(64, nue.engine_bench(engine, which === 'shogi' ? 0 : 1, plies));
    return new TextDecoder().decode(new Uint8Array(nue.memory.buffer, Number(both >> 32n), Number(both & 0xffffffffn)));
  }, [game, depth] as const);
  await leave(page);
  return JSON.parse(result) as { nodes: number; ms: number };
}
