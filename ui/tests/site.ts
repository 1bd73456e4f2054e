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
import { gzipSync } from 'node:zlib';
import { launchBrowser, NUE, type House } from './harness';

const WASM = process.env.NUE_WASM ?? resolve(import.meta.dirname, '../../target/wasm/nue.wasm');
export const missing = !existsSync(WASM);
if (missing && process.env.NUE_SKIPPED) appendFileSync(process.env.NUE_SKIPPED, 'ui/tests/site.e2e.ts: the module for browsers is not built (cargo xtask wasm)\n');

const KINDS: Record<string, string> = { html: 'text/html; charset=utf-8', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml', json: 'application/json', wasm: 'application/wasm', webmanifest: 'application/manifest+json', txt: 'text/plain; charset=utf-8' };

/** What hosts of files compress: not nets, which are compressed already. */
const COMPRESSED = /\.(html|js|css|svg|json|webmanifest|txt|wasm)$/;

export interface Site extends House {
  folder: string;
  /** The paths that were asked for. */
  asked: () => string[];
  /** Bytes of the bodies sent for paths that match. */
  sent: (which: (path: string) => boolean) => number;
  goAway: () => Promise<void>;
}

/** What `nue web --export` writes, on a host that knows nothing but files. As such hosts do, it compresses, and sends nothing that has not changed. */
export async function openSite(): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'nue-site-'));
  execFileSync(NUE, ['web', '--export', folder, '--wasm', WASM], { stdio: ['ignore', 'ignore', 'inherit'] });
  const asked: string[] = [];
  const sent: [string, number][] = [];
  const packed = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://host').pathname.replace(/\/$/, '/index.html');
    const path = join(folder, name);
    asked.push(name);
    if (request.method !== 'GET' || !path.startsWith(folder) || !existsSync(path)) response.writeHead(404).end();
    else {
      const body = packed.get(path) ?? (COMPRESSED.test(path) ? gzipSync(readFileSync(path)) : readFileSync(path));
      packed.set(path, body);
      const tag = `"${body.length.toString(16)}"`;
      if (request.headers['if-none-match'] === tag) return response.writeHead(304, { ETag: tag }).end();
      sent.push([name, body.length]);
      const encoding = COMPRESSED.test(path) ? { 'Content-Encoding': 'gzip' } : {};
      response.writeHead(200, { 'Content-Type': KINDS[path.split('.').pop() ?? ''] ?? 'application/octet-stream', ETag: tag, ...encoding }).end(body);
    }
    return undefined;
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
    sent: (which) => sent.reduce((sum, [path, bytes]) => sum + (which(path) ? bytes : 0), 0),
    restart: () => Promise.reject(new Error('there is no server')),
    async close() {
      await browser.close();
      if (server.listening) await goAway();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
