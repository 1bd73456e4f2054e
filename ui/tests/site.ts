// A site without a server: exported by the executable, served as plain files, opened in the browser.
//
// NUE_WASM names the module (target/wasm/nue.wasm, which `cargo xtask wasm` builds). Without it these tests
// are skipped, and counted where NUE_SKIPPED names a file.

import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launchBrowser, NUE, type House } from './harness';

const WASM = process.env.NUE_WASM ?? resolve(import.meta.dirname, '../../target/wasm/nue.wasm');
export const missing = !existsSync(WASM);
if (missing && process.env.NUE_SKIPPED) appendFileSync(process.env.NUE_SKIPPED, 'ui/tests/site.e2e.ts: the module for browsers is not built (cargo xtask wasm)\n');

const KINDS: Record<string, string> = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', json: 'application/json', wasm: 'application/wasm', webmanifest: 'application/manifest+json' };

export interface Site extends House { folder: string; asked: () => string[]; goAway: () => Promise<void> }

/** What `nue web --export` writes, on a host that knows nothing but files. */
export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'nue-site-'));
  execFileSync(NUE, ['web', '--export', folder, '--wasm', WASM], { stdio: ['ignore', 'ignore', 'inherit'] });
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://host').pathname.replace(/\/$/, '/index.html');
    const path = join(folder, name);
    asked.push(name);
    if (request.method !== 'GET' || !path.startsWith(folder) || !existsSync(path)) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': KINDS[path.split('.').pop() ?? ''] ?? 'application/octet-stream' }).end(readFileSync(path));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const browser = await launchBrowser();
  const goAway = (): Promise<void> => new Promise((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    browser, folder, goAway,
    asked: () => asked,
    restart: () => Promise.reject(new Error('there is no server')),
    async close() {
      await browser.close();
      if (server.listening) await goAway();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
