// Writes MANIFEST beside the built page: a hash of every source it was built from and of every file
// that came out. `cargo xtask tidy` compares it with the tree, so that a page that does not match
// its source is found without Node.

import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'vite';

const UI = resolve(import.meta.dirname, '..');
const SOURCES = ['build', 'index.html', 'package-lock.json', 'package.json', 'public', 'src', 'tsconfig.json', 'vite.config.ts'];

/** FNV-1a with 64 bits, which the other side writes in four lines of Rust. */
export function fnv64(bytes: Uint8Array): string {
  let high = 0xcbf29ce4, low = 0x84222325;
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    // times 0x100000001b3, in 32-bit halves
    const product = low * 0x1b3;
    const carry = Math.floor(product / 0x100000000);
    high = (Math.imul(high, 0x1b3) + carry + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

function files(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

function lines(paths: string[], root: string, prefix: string): string[] {
  return paths
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => `${fnv64(readFileSync(path))} ${prefix}${relative(root, path).replaceAll('\\', '/')}`)
    .sort((a, b) => (a.slice(17) < b.slice(17) ? -1 : 1));
}

export function manifest(): Plugin {
  let out = '';
  return {
    name: 'nue-manifest',
    apply: 'build',
    configResolved(config) {
      out = resolve(config.root, config.build.outDir);
    },
    closeBundle() {
      const sources = SOURCES.flatMap((name) => files(join(UI, name)));
      const built = files(out).filter((path) => !path.endsWith('MANIFEST'));
      const all = [...lines(sources, UI, 'ui/'), ...lines(built, out, 'page/')];
      writeFileSync(join(out, 'MANIFEST'), `${all.join('\n')}\n`);
    },
  };
}
