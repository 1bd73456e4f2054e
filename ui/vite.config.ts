import { defineConfig } from 'vite';
import { manifest } from './build/manifest.ts';

// The page is built into the crate that embeds it, so that running Nue needs no Node.
export default defineConfig({
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../crates/web/page',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    chunkSizeWarningLimit: 300,
  },
  worker: { format: 'es' },
  plugins: [manifest()],
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8088', ws: true } } },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
} as Parameters<typeof defineConfig>[0]);
