import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faults, leave, NUE, openHouse, overflow, picture, visit, type House } from './harness';

// A real CSA server with two real clients that play each other, watched while they do.

let folder: string;
let status: number;
let house: House;
const programs: ChildProcess[] = [];

const freePort = (): Promise<number> => new Promise((found) => {
  const listener = createServer().listen(0, '127.0.0.1', () => {
    const { port } = listener.address() as { port: number };
    listener.close(() => found(port));
  });
});

/** Until somebody listens there. */
function answers(port: number): Promise<void> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done();
    });
    socket.on('error', () => setTimeout(() => void answers(port).then(done), 100));
  });
}

function run(args: string[]): void {
  programs.push(spawn(NUE, args, { stdio: 'ignore' }));
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nue-server-'));
  const port = await freePort();
  status = await freePort();
  const settings = [
    `listen = "127.0.0.1:${port}"`, `status = "127.0.0.1:${status}"`, 'data = "games.sqlite"', 'records = "records"', 'log = "server.log"',
    'guests = true', 'open_games = true', 'max_moves = 320',
  ];
  writeFileSync(join(folder, 'server.toml'), `${settings.join('\n')}\n`);
  run(['server', '--config', join(folder, 'server.toml')]);
  await answers(port);
  for (const [name, side] of [['Tsuru', 'B'], ['Kame', 'W']] as const) {
    run(['csa', '--host', '127.0.0.1', '--port', String(port), '--name', name, '--password', `test-120-1F-${side}`, '--no-ponder', '--option', 'USI_Hash=16', '--option', 'Threads=1']);
  }
  house = await openHouse(['--watch-server', join(folder, 'games.sqlite')]);
});
afterAll(async () => {
  await house?.close();
  for (const program of programs.reverse()) {
    const gone = new Promise((done) => program.once('exit', done));
    if (program.exitCode === null && program.kill()) await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function watchGame(watched: House, name: string): Promise<void> {
  const page = await visit(watched, '#/watch/server');
  await page.locator('[data-small] a').first().click({ timeout: 90000 });
  const live = page.locator('main.live-single[data-running="true"]');
  await live.waitFor();
  const moves = async (): Promise<number> => Number(await live.getAttribute('data-moves'));
  await expect.poll(moves, { timeout: 90000 }).toBeGreaterThan(1);
  const seen = await moves();
  await expect.poll(moves, { timeout: 90000 }).toBeGreaterThan(seen);
  expect(await page.locator('[data-live-player="black"]').textContent()).toContain('Tsuru');
  expect(await page.locator('[data-live-player="white"]').textContent()).toContain('Kame');
  await page.locator('[data-live-player="black"] .clock').waitFor();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await faults(page)).toEqual([]);
  await picture(page, name);
  await leave(page);
}

describe('a running game of a real CSA server', () => {
  it('is followed through its data file', async () => {
    await watchGame(house, 'server-file');
  }, 240000);

  it('is followed through its status page', async () => {
    const other = await openHouse(['--watch-server', `http://127.0.0.1:${status}`]);
    try {
      await watchGame(other, 'server-status');
    } finally {
      await other.close();
    }
  }, 240000);
});
