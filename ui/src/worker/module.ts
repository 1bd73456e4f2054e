// The functions of the WebAssembly module (crates/offline/src/exports.rs), and texts in and out of its memory.

interface Exports {
  memory: WebAssembly.Memory;
  allocate: (length: number) => number;
  release: (start: number, length: number) => void;
  board_new: (start: number, length: number, seed: bigint) => number;
  board: (board: number, what: number, start: number, length: number) => bigint;
  engine_new: (hash: number) => number;
  engine_load: (engine: number, start: number, length: number) => number;
  engine_run: (engine: number, start: number, length: number) => void;
  engine_bench: (engine: number, game: number, depth: number) => bigint;
}

export interface Outside {
  /** Hears what the engine says while it searches. */
  tell?: (text: string) => void;
  /** Milliseconds by which the clock is ahead: a search that is to end sees its time over. */
  ahead?: () => number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Nue {
  private constructor(readonly exports: Exports) {}

  static async start(module: WebAssembly.Module, { tell, ahead }: Outside = {}): Promise<Nue> {
    const nue: { now?: Nue } = {};
    const imports = {
      now: () => performance.now() + (ahead?.() ?? 0),
      wall: () => Date.now(),
      tell: (start: number, length: number) => tell?.(decoder.decode(nue.now?.view(start, length))),
    };
    const instance = await WebAssembly.instantiate(module, { nue: imports });
    nue.now = new Nue(instance.exports as unknown as Exports);
    return nue.now;
  }

  /** Memory may move with every call: a view is good for one use. */
  view(start: number, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer as ArrayBuffer, start >>> 0, length);
  }

  /** Puts bytes where a function finds and frees them. */
  put(bytes: Uint8Array | string): [number, number] {
    const there = typeof bytes === 'string' ? encoder.encode(bytes) : bytes;
    const start = this.exports.allocate(there.length);
    this.view(start, there.length).set(there);
    return [start, there.length];
  }

  /** Takes over what a function gave. */
  take(given: bigint): Uint8Array<ArrayBuffer> {
    const both = BigInt.asUintN(64, given);
    const [start, length] = [Number(both >> 32n), Number(both & 0xffffffffn)];
    const bytes = this.view(start, length).slice();
    this.exports.release(start, length);
    return bytes;
  }
}

export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
