// The server as a process, the browser, and a hand that plays on the board.
//
// NUE names the executable, NUE_CHROMIUM the browser, NUE_PICTURES a folder for screenshots, NUE_PAGE
// a built page to use in place of the one inside the executable. Waits are for states the page shows,
// never for time to pass. With NUE_SITE=1 there is no server: the page comes from a folder of files (site.ts), with its
// engine inside, and the same tests are run; those about servers are left out.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { expect } from 'vitest';

export const SITE = process.env.NUE_SITE !== undefined;
export const NUE = process.env.NUE ?? resolve(import.meta.dirname, '../../target/debug/nue');
const CHROMIUM = process.env.NUE_CHROMIUM ?? '/usr/bin/chromium';
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];
// A page that comes from a folder has no address, and may then not speak to this machine.
if (process.env.NUE_PAGE) QUIET.push('--disable-features=LocalNetworkAccessChecks');

export interface House { address: string; browser: Browser; restart: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>; close: () => Promise<void> }

function launch(data: string, port: number, more: string[]): Promise<{ server: ChildProcess; address: string }> {
  const server = spawn(NUE, ['web', '--no-open', '--port', String(port), '--data', join(data, 'web.db'), ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((found, lost) => {
    let said = '';
    const listen = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = /http:\/\/[\w.:[\]]+\//.exec(said)?.[0];
      if (address) found({ server, address });
    };
    server.stdout.on('data', listen);
    server.stderr.on('data', listen);
    server.on('exit', (code) => lost(new Error(`nue web ended with ${code}: ${said}`)));
    server.on('error', lost);
  });
}

async function end(server: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((done) => server.once('exit', done));
  server.kill(signal);
  await gone;
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: QUIET });
}

export async function openHouse(more: string[] = []): Promise<House> {
  if (SITE) return (await import('./site')).openSite();
  const data = mkdtempSync(join(tmpdir(), 'nue-page-'));
  let { server, address } = await launch(data, 0, more);
  const browser = await launchBrowser();
  const port = Number(new URL(address).port);
  return {
    address,
    browser,
    /** The same server again, on the same port with the same data. */
    async restart(signal = 'SIGTERM') {
      await end(server, signal);
      ({ server } = await launch(data, port, more));
    },
    async close() {
      await browser.close();
      await end(server);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** What pages complained about since the last visit began. */
const complaints: string[] = [];

/** Serves a page from a folder, under the policy the server sends. */
async function replacePage(context: BrowserContext, address: string, folder: string): Promise<void> {
  const policy = (await fetch(address)).headers.get('content-security-policy') ?? '';
  const kinds: Record<string, string> = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', webmanifest: 'application/manifest+json', txt: 'text/plain' };
  await context.route((url) => url.href.startsWith(address) && !url.pathname.startsWith('/api/'), async (route) => {
    const path = join(folder, new URL(route.request().url()).pathname.replace(/\/$/, '/index.html'));
    // What is no part of the page is the server's own.
    if (!existsSync(path)) return route.continue();
    return route.fulfill({ path, contentType: kinds[path.split('.').pop() ?? ''] ?? 'application/octet-stream', headers: { 'content-security-policy': policy } });
  });
}

/** A visitor with a page of his own; what the page complains about fails the test. */
export async function visit(house: House, hash = '', options: BrowserContextOptions = {}): Promise<Page> {
  complaints.length = 0;
  const context = await house.browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
  if (process.env.NUE_PAGE) await replacePage(context, house.address, resolve(process.env.NUE_PAGE));
  context.setDefaultTimeout(30000);
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/WebSocket|ERR_CONNECTION|Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  await page.goto(house.address + hash);
  return page;
}

export async function leave(page: Page): Promise<void> {
  await page.context().close();
  expect(complaints.splice(0)).toEqual([]);
}

export interface Wish { game?: 'shogi' | 'minishogi'; against?: 'human' | 'level'; level?: number; handicap?: string; side?: 'black' | 'white' }

/** Fills in the form of a new game and starts it. */
export async function newGame(page: Page, { game = 'shogi', against = 'level', level = 1, handicap, side = 'black' }: Wish = {}): Promise<void> {
  await page.locator(`.new-game input[value="${game}"]`).check({ force: true });
  await page.locator(`.new-game input[value="${against}"]`).check({ force: true });
  if (against === 'level') {
    await page.locator('[data-adaptive]').uncheck();
    await page.locator('[data-level]').fill(String(level));
    // Manners cost time.
    await page.locator('[data-natural]').uncheck();
    await page.locator(`.new-game input[value="${side}"]`).check({ force: true });
  }
  if (handicap) await page.locator('.new-game select').first().selectOption(handicap);
  await page.locator('[data-start]').click();
  await page.locator('main[data-game]').waitFor();
}

/** Asks what answers the page, be it a server or its own worker: the JSON that comes back. */
export async function ask<T>(page: Page, path: string, body: object): Promise<T> {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  if (!SITE) {
    return (await page.evaluate(async ([where, how]) => (await fetch(`./api/${where}`, how)).json(), [path, init] as const)) as T;
  }
  // The very module the page has loaded. As text: an import of the tests' own is compiled into something no page knows.
  return await page.evaluate<T>(`(async () => {
    const loaded = performance.getEntriesByType('resource').find(({ name }) => /\\/local-[^/]*\\.js$/.test(name));
    const exports = await import(loaded?.name ?? 'local.js');
    const local = Object.values(exports).find((one) => typeof one === 'object' && one !== null && 'ask' in one);
    return (await local?.ask(${JSON.stringify(path)}, ${JSON.stringify(init)}))?.json();
  })()`);
}

/** Starts a game no form asks for, and opens it. */
export async function startGame(page: Page, wish: object): Promise<void> {
  await page.locator('main').waitFor();
  const { game: id } = await ask<{ game: string }>(page, 'games', wish);
  await page.evaluate((game) => { location.hash = `#/play/${game}`; }, id);
  await page.locator(`main[data-game="${id}"]`).waitFor();
}

/** The middle of a square on the screen. */
export async function squareMiddle(page: Page, square: string, area = '.board-area[role="application"]'): Promise<{ x: number; y: number }> {
  const board = page.locator(`${area} sg-pieces`);
  const box = await board.boundingBox();
  const turned = (await page.locator(`${area} .sg-wrap.orientation-gote`).count()) > 0;
  const size = (await page.locator(`${area}.size-5`).count()) > 0 ? 5 : 9;
  if (!box) throw new Error('there is no board');
  const file = Number(square[0]);
  const rank = 'abcdefghi'.indexOf(square[1] ?? 'a') + 1;
  const column = turned ? file - 1 : size - file;
  const row = turned ? size - rank : rank - 1;
  return { x: box.x + ((column + 0.5) * box.width) / size, y: box.y + ((row + 0.5) * box.height) / size };
}

export async function clickSquare(page: Page, square: string): Promise<void> {
  await page.locator('.board-area[role="application"]').scrollIntoViewIfNeeded();
  const { x, y } = await squareMiddle(page, square);
  await page.mouse.click(x, y);
}

export async function tapSquare(page: Page, square: string): Promise<void> {
  await page.locator('.board-area[role="application"]').scrollIntoViewIfNeeded();
  const { x, y } = await squareMiddle(page, square);
  await page.touchscreen.tap(x, y);
}

const ROLES: Record<string, string> = { P: 'pawn', L: 'lance', N: 'knight', S: 'silver', G: 'gold', B: 'bishop', R: 'rook' };

/** Plays a move by clicking. `choice` answers the question of promotion where one is expected. */
export async function clickMove(page: Page, usi: string, choice?: 'promote' | 'stay'): Promise<void> {
  if (usi[1] === '*') {
    const turn = await page.locator('main').getAttribute('data-turn');
    await page.locator(`.board-area[role="application"] sg-hand piece.${turn === 'white' ? 'gote' : 'sente'}.${ROLES[usi[0] ?? 'P']}`).click();
  } else await clickSquare(page, usi.slice(0, 2));
  await clickSquare(page, usi.slice(2, 4));
  if (choice) await page.locator('sg-promotion-choices piece').nth(choice === 'promote' ? 0 : 1).click();
}

export async function expectMoves(page: Page, count: number): Promise<void> {
  await page.locator(`main[data-moves="${count}"]`).waitFor();
}

/** The visitor's turn, at or after a number of moves. */
export async function myTurn(page: Page, moves: number): Promise<void> {
  await page.locator(`main[data-may-move="true"][data-moves="${moves}"]`).waitFor();
}

export async function sfen(page: Page): Promise<string> {
  return (await page.locator('.board-area[role="application"]').getAttribute('data-sfen')) ?? '';
}

/** Keeps a picture where a folder for them is named. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.NUE_PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation { id: string; nodes: { html: string; failureSummary: string }[] }

/** What axe-core finds wrong, in words. */
export async function faults(page: Page): Promise<string[]> {
  // Evaluated by the debugger: the page's own policy forbids foreign scripts.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run: (place: Document, options: object) => Promise<{ violations: unknown[] }> } }).axe;
    return (await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })).violations;
  });
  return (found as Violation[]).flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
}

/** By how many pixels the page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
