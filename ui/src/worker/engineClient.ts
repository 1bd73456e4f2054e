// The engine as the board sees it: asked one question at a time, ended when something else is wanted.
//
// A search does not look at its messages. Where the site is cross-origin isolated it reads a flag in shared
// memory; elsewhere its worker is ended, and the next question begins with an empty table.

import type { FromEngine, Site, ToEngine } from './messages';

interface Asked { number: number; task: { search?: { at: { game: keyof Site['nets'] } }; mate?: object } }

export class EngineClient {
  private worker: Worker | null = null;
  private readonly flag = typeof SharedArrayBuffer !== 'undefined' && self.crossOriginIsolated ? new SharedArrayBuffer(4) : null;
  private readonly nets = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  private readonly loaded = new Set<string>();
  /** The question under way. */
  private current = 0;

  constructor(private readonly module: WebAssembly.Module, private readonly site: Site, private readonly base: string, private readonly heard: (text: string) => void) {}

  ask(asked: Asked): void {
    this.current = asked.number;
    this.begin(asked).catch((cause) => this.failed(String(cause)));
  }

  stop(): void {
    if (this.flag && this.worker) Atomics.store(new Int32Array(this.flag), 0, this.current);
    else this.end();
    this.current = 0;
  }

  private async begin(asked: Asked): Promise<void> {
    const game = asked.task.search?.at.game;
    // The solver of mates needs no net.
    const net = game && !this.loaded.has(game) ? await this.net(game) : null;
    if (this.current !== asked.number) return;
    if (!this.worker) this.start();
    if (net && game && !this.loaded.has(game)) {
      this.post({ type: 'net', bytes: net });
      this.loaded.add(game);
    } else if (game && !this.loaded.has(game)) return this.begin(asked);
    this.post({ type: 'run', number: asked.number, text: JSON.stringify(asked) });
  }

  /** The file of a net, fetched when it is first needed. */
  private net(game: keyof Site['nets']): Promise<Uint8Array<ArrayBuffer>> {
    const known = this.nets.get(game);
    if (known) return known;
    const net = (async () => {
      const answer = await fetch(new URL(this.site.nets[game], this.base));
      if (!answer.ok) throw new Error(`${this.site.nets[game]}: ${answer.status} ${answer.statusText}`);
      return new Uint8Array(await answer.arrayBuffer());
    })();
    this.nets.set(game, net);
    net.catch(() => this.nets.delete(game));
    return net;
  }

  private start(): void {
    const worker = new Worker(new URL('./engine.ts', import.meta.url), { type: 'module', name: 'nue-engine' });
    worker.onmessage = (event: MessageEvent<FromEngine>) => {
      this.heard(event.data.text);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.end();
      this.failed(event.message || 'the engine broke down');
    };
    this.worker = worker;
    this.post({ type: 'start', module: this.module, hash: this.site.hash, flag: this.flag });
  }

  private post(message: ToEngine): void {
    this.worker?.postMessage(message);
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    this.loaded.clear();
  }

  private failed(why: string): void {
    if (this.current) this.heard(JSON.stringify({ number: this.current, said: { failed: why } }));
  }
}
