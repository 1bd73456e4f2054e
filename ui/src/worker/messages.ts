// What the page, the worker with the board and the worker with the engine say to each other.

/** The page to its board. */
export type ToBoard =
  | { type: 'start'; base: string }
  | { type: 'wake' }
  | { type: 'send'; text: string }
  | { type: 'ask'; id: number; head: string; body: Uint8Array<ArrayBuffer> };

/** The board to its page. */
export type FromBoard =
  | { type: 'ready' }
  | { type: 'message'; text: string }
  | { type: 'answer'; id: number; status: number; kind: string; losses: string; body: Uint8Array<ArrayBuffer> }
  | { type: 'broken'; why: string };

/** The board to its engine. `flag` holds the number of the question that is to end, where memory can be shared. */
export type ToEngine =
  | { type: 'start'; module: WebAssembly.Module; hash: number; flag: SharedArrayBuffer | null }
  | { type: 'net'; bytes: Uint8Array<ArrayBuffer> }
  | { type: 'run'; number: number; text: string };

/** The engine to its board: what it says. */
export type FromEngine = { type: 'said'; text: string };

/** What `nue web --export` writes down about a site. */
export interface Site {
  version: string;
  evaluation: [string, string];
  scales: [number, number];
  hash: number;
  module: string;
  nets: { shogi: string; minishogi: string };
}
