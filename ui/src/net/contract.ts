// The shapes of docs/web-api.md. Types alone: nothing here runs.

export type Color = 'black' | 'white';
export type Variant = 'shogi' | 'minishogi';
export interface Words { en: string; ja: string }

export interface Score { cp?: number; mate?: number | null; winner?: Color }

export interface VariantFacts {
  id: Variant; size: number; start: string; name: Words; hand: string[]; declarations: string[];
}
export interface Handicap { id: string; sfen: string; name: Words }
export interface Level { id: number; name: Words; text: Words; ms: number }
export interface EngineFacts {
  id: string; name: string; own: boolean; variants: Variant[]; evaluation?: Partial<Record<Variant, string>>;
}
export interface Hello {
  version: string;
  variants: VariantFacts[];
  handicaps: Handicap[];
  levels: Level[];
  engines: EngineFacts[];
  formats: string[];
  encodings: string[];
  limits: { threads: number; hashMib: number; multipv: number; games: number; bytes: number; analyses: number };
  watch: { server: boolean; match: boolean; learn: boolean };
}

export interface Ending { reason: string; winner?: Color | null; text?: string }
export interface Declaration { can: boolean; entered: boolean; pieces: number; points: number; needed: number }

/** What to ask about: a start and the moves after it. */
export interface Place { variant: Variant; sfen?: string; moves?: string[] }

export interface Position {
  variant: Variant; sfen: string; turn: Color; ply: number; last: string | null; check: boolean; king: string | null;
  legal: string[];
  destinations: Record<string, string[]>;
  drops: Record<string, string[]>;
  promotions: { may: string[]; must: string[] };
  hands: Record<Color, Record<string, number>>;
  over: Ending | null;
  occurrences: number;
  declaration: Declaration | null;
}

export interface Opponent { level?: number; engine?: string; movetime?: number; human?: boolean; name?: Words }
export interface ClockRule { main: number; byoyomi: number; increment: number }
export interface ClockFace { ms: number; byoyomi: boolean }
export interface PlayedMove { ply: number; side: Color; usi: string; ja: string; en: string; ms: number; sfen: string; check: boolean }

export interface Game {
  type: 'game'; id?: number; game: string; revision: number;
  variant: Variant; handicap: string | null; start: string;
  you: Color | 'both';
  opponent: Opponent;
  declarationRule: string; maxMoves: number;
  position: Position;
  moves: PlayedMove[];
  clock: ClockRule | null;
  clocks: { running: Color | null; black: ClockFace; white: ClockFace } | null;
  status: 'playing' | 'over';
  ending: Ending | null;
  thinking: null | 'queued' | 'running';
  may: { move: boolean; takeback: boolean; hint: boolean; resign: boolean; declare: boolean };
  created: number; updated: number;
}

export interface NewGame {
  variant: Variant; handicap?: string; start?: string; side: Color | 'random';
  opponent: Opponent; clock: ClockRule | null; declaration?: string; maxMoves?: number;
}

export interface GameSummary {
  game: string; variant: Variant; handicap: string | null; you: Color | 'both'; opponent: Opponent;
  status: 'playing' | 'over'; ending: Ending | null; plies: number; sfen: string; last: string | null;
  created: number; updated: number;
}

export interface Evaluation { score: Score; winrate?: number; depth?: number; nodes?: number; pv?: string[] }
export interface TreeNode {
  parent: number | null; move?: string; end?: Ending; ja?: string; en?: string; ms?: number; sfen?: string;
  check?: boolean; comments?: string[]; bookmark?: string; eval?: Evaluation;
}
export interface Tree {
  variant: Variant; start: string; handicap?: string; headers?: [string, string][]; black?: string; white?: string;
  nodes: TreeNode[];
}
export interface Trees {
  format: string; games: Tree[]; problems: { game: number; line: number; message: string }[]; left_out: number;
}

export interface Line { line: string[]; ja: string[]; en: string[]; sfens: string[] }

export interface Hint { type: 'hint'; game: string; move: string; ja: string; en: string; score: Score; winrate: number }

export interface EngineLine {
  rank: number; depth: number; score: Score; bound: 'exact' | 'lower' | 'upper'; winrate: number;
  pv: string[]; ja: string[]; en: string[];
}
export type WorkState = 'queued' | 'running' | 'done' | 'stopped' | 'failed' | 'over';
export interface Analysis {
  type: 'analysis'; slot: string; serial: number; state: WorkState; engine?: string; ahead?: number;
  depth?: number; seldepth?: number; nodes?: number; nps?: number; hashfull?: number; ms?: number;
  lines?: EngineLine[]; code?: string; message?: string; ending?: Ending;
}

export interface ReviewEvaluation {
  ply: number; score: Score; winrate: number; depth: number; nodes: number; pv: string[]; ja: string[]; en: string[];
}
export interface Mistake {
  ply: number; side: Color; grade: 'inaccuracy' | 'mistake' | 'blunder'; loss: number;
  played: { usi: string; ja: string; en: string };
  better: { score: Score; winrate: number; pv: string[]; ja: string[]; en: string[] };
}
export interface SideSummary { moves: number; loss: number; inaccuracies: number; mistakes: number; blunders: number }
export interface Review {
  type: 'review'; serial: number; state: WorkState; done: number; total: number; ahead?: number;
  evaluations?: ReviewEvaluation[]; mistakes?: Mistake[]; summary?: Record<Color, SideSummary>;
  code?: string; message?: string;
}

export interface MateAnswer {
  type: 'mate'; serial: number; state: 'queued' | 'running' | 'mate' | 'nomate' | 'unknown' | 'stopped' | 'failed';
  plies?: number; shortest?: boolean; nodes?: number; ms?: number; line?: string[]; ja?: string[]; en?: string[];
  code?: string; message?: string;
}

/** Low, middle, high; null where there is no bound (all games won). */
export type Interval = [number | null, number | null, number | null] | null;
export interface WatchServer {
  source: string; live: boolean; at: number; error: string | null;
  status: { connections: number | null; players: { name: string; waits_for: string }[] | null; running: number } | null;
  games: {
    id: string; event: string; black: string; white: string; moves: number; sfen: string; turn: Color; running: boolean;
    black_seconds: number | null; white_seconds: number | null; watchers: number | null; last?: string | null;
  }[] | null;
  standings: {
    event: string; stage: number; round: number;
    standings: { rank: number; name: string; points: number; solkoff: number; berger: number; wins: number; draws: number; losses: number }[];
  }[] | null;
  ratings: { name: string; rating: number; error: number | null; wins: number; draws: number; losses: number }[] | null;
  records: {
    id: string; event: string; black: string; white: string; started: number | string; ended: number | string; reason: string;
    winner: Color | null; moves?: number;
  }[] | null;
}
export interface Match {
  name: string; live: boolean; error: string | null; games: number; planned: number | null;
  engines: { name: string; wins: number; draws: number; losses: number; elo: Interval }[];
  pairings: { engines: [string, string]; wins: number; draws: number; losses: number; elo: Interval; los: number | null }[];
  curve: { game: number; points: number }[];
  latest: { game: number; players: [string, string]; winner: Color | null; end: string; plies: number; millis: number }[];
}
export interface WatchMatch { matches: Match[] }
export interface Generation {
  generation: number; accepted: boolean; elo: Interval; total: number | null; wins: number; draws: number; losses: number;
  games: number | null; positions: number | null; loss: number | null; epochs: number | null; seconds: number | null;
  net: string | null; verdict: string | null;
}
export interface Lab {
  name: string; game: string; error: string | null; current: number | null;
  generations: Generation[];
  losses: { generation: number; points: { epoch: number; steps: number; train: number | null; validation: number | null }[] }[];
  steps: { generation: number; step: string; seconds: number }[];
}
export interface WatchLearn { labs: Lab[] }

export interface ErrorMessage { type: 'error'; id?: number; code: string; message: string }
