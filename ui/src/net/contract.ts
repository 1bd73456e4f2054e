// Made from the types in crates/board by `cargo xtask contract`: do not edit.
// Types alone: nothing here runs.

/** An analysis as the page sees it. */
export interface Analysis {
  type: 'analysis';
  /** Of the request it answers. */
  id?: number;
  /** The page's place for it. */
  slot: string;
  /** The page's number; what has an older number is to be dropped. */
  serial: number;
  state: WorkState;
  engine: string;
  /** How many wait before it. */
  ahead?: number;
  depth?: number;
  seldepth?: number;
  nodes?: number;
  nps?: number;
  hashfull?: number;
  ms?: number;
  lines: EngineLine[];
  ending?: Ending;
  code?: ErrorCode;
  message?: string;
}

/** An analysis to begin. */
export interface AnalysisRequest {
  slot: string;
  serial?: number;
  engine?: string | null;
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  multipv?: number | null;
  threads?: number | null;
  seconds?: number | null;
}

/** What went wrong. */
export interface ApiError {
  /** What the page translates. */
  code: ErrorCode;
  /** For the reader of a log: in English, quoting what was sent. */
  message: string;
}

/** What should have been played. */
export interface BetterLine {
  score?: Score;
  winrate?: number;
  pv: string[];
  ja: string[];
  en: string[];
}

/** What is done to a move of a book at a position; what is absent stays. */
export interface BookEdit {
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  /** Every move that leads to the position enters the book. */
  line?: boolean;
  /** The move; where it is absent `comment` is the position's. */
  move?: string | null;
  /** Takes it out of the book. */
  remove?: boolean;
  /** Makes it the move the book prefers. */
  first?: boolean;
  /** Hundredths of a pawn, from Black's point of view; null takes the value away. */
  value?: number | null;
  /** Empty: none. */
  comment?: string | null;
}

/** A book in the list. */
export interface BookFacts {
  book: string;
  name: string;
  /** Whether it is the visitor's, who may change it. */
  own: boolean;
  variant: Variant;
  /** Positions, where that is known. */
  positions: number | null;
  /** Whether there is a change that can be undone, or done again. */
  undo: boolean;
  redo: boolean;
}

/** A line in both notations. */
export interface BookLine {
  pv: string[];
  ja: string[];
  en: string[];
}

/** What a book says of a position. */
export interface BookPage {
  book: BookFacts;
  /** Whether the book has the position turned by 180 degrees. */
  flipped: boolean;
  /** Why nothing is played from the book here. */
  passed: Words | null;
  /** What the book remarks on the position. */
  comment: string | null;
  moves: BookRow[];
  /** The visitor's own games that came through here, the latest first. */
  games: OwnGame[];
}

/** A move of a book. */
export interface BookRow {
  move: string;
  ja: string;
  en: string;
  /** From Black's point of view, as everywhere. */
  score: Score | null;
  /** Black's. */
  winrate: number | null;
  depth: number;
  /** How often it was played; `wins` and `draws` are of whoever played it. */
  count: number;
  wins: number;
  draws: number;
  comment: string | null;
  source: string | null;
  /** How often it would be played, between 0 and 1; 0 where it is refused. */
  chance: number;
  /** Why it would not be played. */
  refused: Words | null;
  /** What is worth saying besides. */
  remark: Words | null;
  /** The book's line from here, this move first. */
  line: BookLine;
}

/** The books a visitor may look at. */
export interface Books {
  books: BookFacts[];
}

/** Whether the score is at least or at most that. */
export type Bound = 'exact' | 'lower' | 'upper';

/** The position if it is one, else everything that is wrong with it. */
export interface CheckAnswer {
  ok: boolean;
  /** Normalised. */
  sfen?: string;
  position?: Position;
  reasons?: string[];
}

/** The board editor's question. */
export interface CheckRequest {
  variant?: Variant | null;
  sfen: string;
  /** `mate` allows kings to be missing. */
  purpose?: Purpose;
}

/** What the page sends on its socket. */
export type ClientMessage =
  | { type: 'ping' }
  | ({ type: 'position' } & Place)
  | ({ type: 'line' } & LineRequest)
  | ({ type: 'game.new' } & NewGame)
  | ({ type: 'game.open' } & GameRequest)
  | ({ type: 'game.close' } & GameRequest)
  | ({ type: 'game.move' } & MoveRequest)
  | ({ type: 'game.takeback' } & GameRequest)
  | ({ type: 'game.resign' } & GameRequest)
  | ({ type: 'game.declare' } & GameRequest)
  | ({ type: 'game.join' } & JoinRequest)
  | ({ type: 'game.offer' } & OfferRequest)
  | ({ type: 'game.reply' } & ReplyRequest)
  | ({ type: 'game.hint' } & GameRequest)
  | ({ type: 'analysis.start' } & AnalysisRequest)
  | ({ type: 'analysis.stop' } & SlotRequest)
  | ({ type: 'review.start' } & ReviewRequest)
  | { type: 'review.stop' }
  | ({ type: 'mate.start' } & MateRequest)
  | { type: 'mate.stop' }
  | ({ type: 'book.grow' } & GrowRequest)
  | { type: 'book.stop' }
  | ({ type: 'watch.start' } & WatchRequest)
  | ({ type: 'watch.stop' } & WatchRequest);

/** What is left on one clock now. */
export interface ClockFace {
  /** Of the main time, or of the byoyomi period. */
  ms: number;
  /** Whether the main time is used up. */
  byoyomi: boolean;
}

/** Both clocks now. The page counts down by itself from the moment the message came; the server alone decides. */
export interface ClockFaces {
  /** Nobody's at the end, and while no connection of the visitor has the game open. */
  running: Color | null;
  black: ClockFace;
  white: ClockFace;
}

/** What both players have, in seconds. */
export interface ClockRule {
  /** For the whole game. */
  main: number;
  /** For each move when that is used up. */
  byoyomi: number;
  /** Added after each move. */
  increment: number;
}

/** What both players have, in seconds. */
export interface ClockRuleInput {
  /** For the whole game. */
  main?: number;
  /** For each move when that is used up. */
  byoyomi?: number;
  /** Added after each move. */
  increment?: number;
}

/** A child at one moment. */
export interface ClusterChild {
  name: string;
  /** As the cluster's file says it: `player`, `mate`, … */
  role: string;
  state: ClusterChildState;
  /** Milliseconds until it is started again. */
  again: number | null;
  task: ClusterTask;
  /** The moves its task is about. */
  about: ClusterMoves;
  /** As it said: `cp 52`. */
  score: string | null;
  /** For the side to move where it thinks, between 0 and 1, by its own scale. */
  win_rate: number | null;
  depth: number | null;
  nodes: number | null;
  nps: number | null;
  /** The line it last told. */
  line: ClusterMoves;
  /** Milliseconds it may take to answer `stop`. */
  slow: number;
}

/** Where a child stands. */
export type ClusterChildState = 'starting' | 'loading' | 'ready' | 'down' | 'out';

/** A move that was decided. */
export interface ClusterDecision {
  game: number;
  ply: number;
  /** The move; empty where it is `resign` or `win`. */
  played: ClusterMoves;
  /** As it was told: a move, `resign` or `win`. */
  answer: string;
  /** The child that wanted it, or `own`. */
  by: string;
  /** `majority`, `mate`, `arbiter` … */
  why: string;
  foreseen: boolean;
  /** Different moves that were wanted. */
  wanted: number;
  /** Milliseconds from the question. */
  time: number;
}

/** What a master does. */
export type ClusterDoing = 'idle' | 'thinking' | 'pondering' | 'waiting';

/** What a child did wrong. */
export interface ClusterFault {
  game: number;
  child: string;
  /** `crash`, `stall`, `illegal`, `protocol` or `time`. */
  fault: string;
  detail: string;
}

/** Moves in both notations and as engines write them. */
export interface ClusterMoves {
  usi: string[];
  ja: string[];
  en: string[];
}

/** A reply the opponent may play. */
export interface ClusterReply {
  reply: ClusterMoves;
  /** Between 0 and 1. */
  chance: number;
  /** The groups that ponder on it. */
  groups: string[];
}

/** What a child is asked. */
export type ClusterTask = 'nothing' | 'thinks' | 'predicts' | 'mate' | 'answered' | 'stopping' | 'ponders' | 'values' | 'decides';

/** A master at one moment. */
export interface ClusterView {
  name: string;
  /** The position that is thought or was last thought about, and its ply. */
  sfen: string;
  ply: number;
  doing: ClusterDoing;
  /** Whether a group had pondered on this position. */
  foreseen: boolean;
  /** Milliseconds since the question, if it thinks about its move. */
  elapsed: number | null;
  children: ClusterChild[];
  /** Likely replies of the opponent, the likeliest first. */
  replies: ClusterReply[];
  /** The newest first. */
  decisions: ClusterDecision[];
  /** The newest first. */
  faults: ClusterFault[];
}

/** A colour: Black moves up the board. */
export type Color = 'black' | 'white';

/** Points of the first engine after so many games. */
export interface CurvePoint {
  game: number;
  points: number;
}

/** How near the side to move is to declaring a win; counts are null under the try rule. */
export interface Declaration {
  can: boolean;
  entered: boolean | null;
  pieces: number | null;
  points: number | null;
  needed: number | null;
}

/** How much a position is worth looking at: 0.1, 0.5 or 2 seconds at most, the first two by nodes. */
export type Effort = 'quick' | 'normal' | 'deep';

/** How a game ended. */
export interface Ending {
  /** Games here: `mate`, `repetition`, `perpetual_check`, `declaration`, `move_limit`, `time`, `resign`, `engine_failed`. Records also: `interrupted`, `impasse`, `draw`, `illegal_move`, `illegal_action`, `no_mate`, `taken_back`, `error`, `default_win`, `default_loss`, `sealed`, `abandoned`, `won`, `other`. */
  reason: string;
  /** Nobody in a draw. */
  winner: Color | null;
  /** The illegal move, or the word of a record nobody knows. */
  text?: string;
}

/** How a game ended. */
export interface EndingInput {
  /** Games here: `mate`, `repetition`, `perpetual_check`, `declaration`, `move_limit`, `time`, `resign`, `engine_failed`. Records also: `interrupted`, `impasse`, `draw`, `illegal_move`, `illegal_action`, `no_mate`, `taken_back`, `error`, `default_win`, `default_loss`, `sealed`, `abandoned`, `won`, `other`. */
  reason: string;
  /** Nobody in a draw. */
  winner?: Color | null;
  /** The illegal move, or the word of a record nobody knows. */
  text?: string | null;
}

/** An engine visitors may use. */
export interface EngineFacts {
  id: string;
  name: string;
  /** Whether it is this program's own. */
  own: boolean;
  variants: Variant[];
  /** Score at which its win rate is 73 %, by game: `winrate = 1 / (1 + exp(-cp / scale))`. */
  scale: Scales;
  /** What our own engine evaluates with. */
  evaluation?: EvaluationNames;
}

/** One line of an analysis, the best has rank 1. */
export interface EngineLine {
  rank: number;
  depth: number | null;
  score: Score;
  bound: Bound;
  /** Black's, between 0 and 1. */
  winrate: number;
  pv: string[];
  ja: string[];
  en: string[];
}

/** How an engine stands in a match. */
export interface EngineScore {
  name: string;
  wins: number;
  draws: number;
  losses: number;
  elo: [number | null, number | null, number | null] | null;
  /** Likelihood of superiority. */
  los: number | null;
}

/** The body of a REST answer with a status of 400 and above. */
export interface ErrorBody {
  error: ApiError;
}

/** What kind of error it is; `snake_case` on the wire. */
export type ErrorCode = 'bad_request' | 'bad_position' | 'illegal_move' | 'not_your_turn' | 'game_over' | 'not_found' | 'not_allowed' | 'changed_elsewhere' | 'too_large' | 'too_many' | 'too_fast' | 'forbidden' | 'token_required' | 'unreadable' | 'unwritable' | 'engine_failed' | 'unavailable' | 'internal';

/** What somebody thought of a position. */
export interface Evaluation {
  score?: Score;
  winrate?: number;
  depth?: number;
  nodes?: number;
  pv?: string[];
}

/** What our engine evaluates each game with. */
export interface EvaluationNames {
  shogi: string;
  minishogi: string;
}

/** The table of an event. */
export interface EventStandings {
  event: string;
  stage: number;
  round: number | null;
  standings: Standing[];
}

/** How many of something. */
export interface FleetCount {
  what: string;
  count: number;
}

/** One engine of a match. */
export interface FleetEngine {
  name: string;
  wins: number;
  draws: number;
  losses: number;
  /** Games it lost otherwise than on the board, by kind. */
  faults: FleetCount[];
}

/** Something that went wrong. */
export interface FleetFault {
  /** Seconds since 1970. */
  at: number;
  run: string | null;
  worker: string | null;
  kind: string;
  reason: string;
}

/** A number that is tuned. */
export interface FleetNumber {
  name: string;
  start: number;
  value: number;
}

/** A run. */
export interface FleetRun {
  id: string;
  name: string;
  owner: string;
  /** `match`, `sprt`, `tune`, `selfplay`, … */
  kind: string;
  state: FleetRunState;
  /** Why it ended. */
  reason: string | null;
  /** What it waits for, where somebody can do something about it. */
  obstacle: string | null;
  priority: string;
  /** Seconds since 1970. */
  created: number;
  ended: number | null;
  done: number;
  /** How many there will be at most; null without an end. */
  total: number | null;
  positions: number;
  /** Lately; of a run that has ended, from its beginning to its end. */
  games_a_minute: number;
  /** Tasks handed out and not finished. */
  tasks: number;
  /** What came of it, by a word for each. */
  tally: FleetCount[];
  score: FleetScore | null;
  tuning: FleetTuning | null;
  faults: number;
  /** The newest of them. */
  last_faults: FleetFault[];
}

/** Where a run stands. */
export type FleetRunState = 'active' | 'done' | 'stopped';

/** The first engine of a match against the second. */
export interface FleetScore {
  wins: number;
  draws: number;
  losses: number;
  /** Pairs by points: 0, ½, 1, 1½, 2. */
  pairs: [number, number, number, number, number];
  elo: [number | null, number | null, number | null] | null;
  /** Every engine against all others together. */
  engines: FleetEngine[];
  sprt: FleetSprt | null;
}

/** A sequential test. */
export interface FleetSprt {
  /** What is tested, as it was asked for. */
  test: string;
  /** What it says so far. */
  verdict: string;
  /** Log-likelihood ratio, and where it ends. */
  ratio: number;
  low: number;
  high: number;
  /** As it went, thinned out. */
  curve: SprtPoint[];
}

/** What a worker may have. */
export type FleetStanding = 'probation' | 'admitted' | 'barred';

/** Numbers as SPSA moves them. */
export interface FleetTuning {
  iteration: number;
  iterations: number;
  numbers: FleetNumber[];
  /** As they went, thinned out. */
  curve: SpsaPoint[];
}

/** A worker. */
export interface FleetWorker {
  id: string;
  owner: string;
  /** Processors it lends. */
  cores: number;
  /** Nodes a second of one thread. */
  speed: number;
  version: string;
  standing: FleetStanding;
  /** Why it stands there. */
  reason: string | null;
  /** Seconds since 1970, in whole minutes. */
  last_seen: number;
  /** Tasks it has now. */
  tasks: number;
  /** How far its results are from the others', in deviations, in the run where it is furthest. */
  residual: number | null;
}

/** Another name for a folder. */
export interface FolderChange {
  from: string;
  /** Empty: its studies lie in none. */
  to?: string;
}

/** One side of a game between friends. */
export interface FriendSeat {
  /** Whether somebody plays it. */
  taken: boolean;
  /** Whether that somebody has the game open now. */
  here: boolean;
  name: string | null;
  /** What an invitation to this side carries; for whoever began the game, while nobody plays it. */
  key?: string;
}

/** Both players and those who look on, as the page sees them. */
export interface FriendsView {
  black: FriendSeat;
  white: FriendSeat;
  offer: Offer | null;
  /** Visitors who look on now. */
  spectators: number;
}

/** The whole state of a game, sent whole after every change. */
export interface Game {
  type: 'game';
  /** Of the request it answers. */
  id?: number;
  game: string;
  /** Grows with every change; an older one that comes late is to be dropped. */
  revision: number;
  variant: Variant;
  handicap: string | null;
  start: string;
  you: Side;
  opponent: NamedOpponent;
  style: Style;
  /** Whether the opponent takes its time as people do. */
  natural: boolean;
  declarationRule: string;
  maxMoves: number;
  /** Without moves unless it is your turn. */
  position: Position;
  moves: PlayedMove[];
  clock: ClockRule | null;
  clocks: ClockFaces | null;
  status: GameStatus;
  ending: Ending | null;
  thinking: Thinking | null;
  may: Permissions;
  /** Where two browsers play each other. */
  friends: FriendsView | null;
  /** Milliseconds since 1970. */
  created: number;
  updated: number;
}

/** A message that names a game. */
export interface GameRequest {
  game: string;
}

/** Whether a game goes on. */
export type GameStatus = 'playing' | 'over';

/** A line of the list of games. */
export interface GameSummary {
  game: string;
  variant: Variant;
  handicap: string | null;
  you: Side;
  /** Whether it is the visitor's own: a friend's game is somebody else's to delete. */
  owned: boolean;
  opponent: NamedOpponent;
  status: GameStatus;
  ending: Ending | null;
  plies: number;
  /** The position now. */
  sfen: string;
  last: string | null;
  created: number;
  updated: number;
}

/** A page of the visitor's games: those under way, then the one that changed last first. */
export interface Games {
  games: GameSummary[];
  /** On this page and others. */
  total: number;
  /** In the bin. */
  deleted: number;
  /** As which level the visitor plays by the latest results against levels. */
  strength?: number;
}

/** A generation that is over; what its ledger entry does not say is null. */
export interface Generation {
  generation: number | null;
  accepted: boolean | null;
  verdict: string | null;
  /** Against its parent. */
  elo: [number | null, number | null, number | null] | null;
  /** Elo over the first parent: the sum along accepted generations. */
  total: number;
  wins: number | null;
  draws: number | null;
  losses: number | null;
  games: number | null;
  positions: number | null;
  loss: number | null;
  epochs: number | null;
  seconds: number | null;
  net: string | null;
  parent: string | null;
}

/** How bad a move was: a loss of win rate from 0.05, 0.10 or 0.20. */
export type Grade = 'inaccuracy' | 'mistake' | 'blunder';

/** How thoroughly each position is searched. */
export type GrowEffort = 'quick' | 'normal' | 'deep';

/** A growth to begin. */
export interface GrowRequest {
  serial: number;
  /** A book of the visitor's. */
  book: string;
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  /** Positions to search. */
  positions: number;
  effort?: GrowEffort;
}

/** How a growth stands. */
export interface Growth {
  type: 'growth';
  /** Of the request it answers. */
  id?: number;
  serial: number;
  book: string;
  state: WorkState;
  done: number;
  total: number;
  code?: ErrorCode;
  message?: string;
}

/** A handicap. */
export interface HandicapFacts {
  id: string;
  sfen: string;
  name: Words;
  /** Levels that it is worth to each level that receives it. */
  worth: number[];
}

/** Pieces in hand, by USI letter. */
export interface Hands {
  black: Record<string, number>;
  white: Record<string, number>;
}

/** Everything the page needs to know before anything is asked. */
export interface Hello {
  version: string;
  variants: VariantFacts[];
  /** Handicaps of shogi; minishogi has `even` alone. */
  handicaps: HandicapFacts[];
  levels: LevelFacts[];
  /** Our own engine first. */
  engines: EngineFacts[];
  /** Formats records can be saved in. */
  formats: string[];
  encodings: string[];
  limits: LimitFacts;
  watch: Watchable;
  reach: Reach;
}

/** The move the engine would play. */
export interface Hint {
  type: 'hint';
  /** Of the request it answers. */
  id?: number;
  game: string;
  move: string;
  ja: string;
  en: string;
  score?: Score;
  winrate?: number;
}

/** Somebody with an invitation. */
export interface JoinRequest {
  game: string;
  /** What the invitation carries. */
  key: string;
  name?: string | null;
}

/** A folder of `nue learn`. */
export interface Lab {
  name: string;
  game: string | null;
  error: string | null;
  /** The generation that is being made, or was made last. */
  current: number | null;
  generations: Generation[];
  losses: LossCurve[];
  steps: LabStep[];
}

/** A command a generation has run. */
export interface LabStep {
  generation: number;
  step: string;
  seconds: number | null;
}

/** A level of our engine. */
export interface LevelFacts {
  id: number;
  name: Words;
  text: Words;
  /** Milliseconds within which it answers. */
  ms: number;
}

/** The most that may be asked for. */
export interface LimitFacts {
  threads: number;
  hashMib: number;
  multipv: number;
  /** Games kept for one visitor. */
  games: number;
  /** Studies kept for one visitor. */
  studies: number;
  /** Largest body of a request. */
  bytes: number;
  /** Analyses on one connection. */
  analyses: number;
}

/** A line in both notations, up to the first move that is not legal. */
export interface Line {
  type: 'line';
  /** Of the request it answers. */
  id?: number;
  line: string[];
  ja: string[];
  en: string[];
  /** After each move. */
  sfens: string[];
}

/** A line to be written out. */
export interface LineRequest {
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  line: string[];
}

/** How the loss fell while a net was trained. */
export interface LossCurve {
  generation: number;
  points: LossPoint[];
}

/** The losses at one step of the training. */
export interface LossPoint {
  epoch: number | null;
  steps: number | null;
  train: number | null;
  validation: number | null;
}

/** A match from its files. */
export interface Match {
  name: string;
  /** Whether it was written to lately. */
  live: boolean;
  error: string | null;
  games: number;
  planned: number | null;
  engines: EngineScore[];
  pairings: PairingScore[];
  /** Points of the first engine in the first pairing after each game, at most 500 of them. */
  curve: CurvePoint[];
  latest: MatchGame[];
  /** Being played now. */
  running: RunningGame[];
}

/** A finished game of a match. */
export interface MatchGame {
  game: number;
  players: [string, string];
  /** `black`, `white` or `draw`. */
  winner: string;
  end: string;
  plies: number;
  millis: number;
}

/** A search for a mate as the page sees it. */
export interface MateAnswer {
  type: 'mate';
  /** Of the request it answers. */
  id?: number;
  serial: number;
  state: MateState;
  plies?: number;
  shortest?: boolean;
  nodes?: number;
  ms?: number;
  line?: string[];
  ja?: string[];
  en?: string[];
  code?: ErrorCode;
  message?: string;
}

/** A mate to be looked for. */
export interface MateRequest {
  serial?: number;
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  seconds?: number | null;
  shortest?: boolean;
}

/** How a search for a mate stands. */
export type MateState = 'queued' | 'running' | 'mate' | 'nomate' | 'stopped' | 'failed' | 'unknown';

/** A move that lost win rate. */
export interface Mistake {
  /** Of the move, 1 is the first. */
  ply: number;
  side: Color;
  grade: Grade;
  /** Win rate the mover lost. */
  loss: number;
  played: NotatedMove;
  better: BetterLine;
  /** What answers the move. */
  refutation: BetterLine;
  reason: Reason;
}

/** A move in a game. */
export interface MoveRequest {
  game: string;
  move: string;
  ply?: number | null;
}

/** The opponent with its name: a level, an engine with its time for a move, or a person here or elsewhere. */
export interface NamedOpponent {
  level?: number;
  engine?: string;
  movetime?: number;
  human?: boolean;
  friend?: boolean;
  /** The level was chosen by the visitor's results. */
  adaptive?: boolean;
  name: Words;
}

/** A book to be made. */
export interface NewBook {
  name: string;
  variant?: Variant | null;
}

/** A game as the page asks for it. */
export interface NewGame {
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** Name of a start position. */
  handicap?: string | null;
  /** A start position in its place. */
  start?: string | null;
  /** `black`, `white` or `random`. */
  side?: string | null;
  /** Who plays the other side. */
  opponent: Opponent;
  /** None where nothing is said. */
  clock?: ClockRuleInput | null;
  /** Name of the entering-king rule. */
  declaration?: string | null;
  /** Moves after which the game is drawn. */
  maxMoves?: number | null;
  /** How our engine likes to play. */
  style?: Style;
  /** Whether weak levels take their time as people do; at once where nothing is said. */
  natural?: boolean;
  /** How the visitor is called in a game against a friend. */
  name?: string | null;
  /** The opening book a level plays from; `none` for none, Nue's own where nothing is said. */
  book?: string | null;
}

/** A study to be kept. */
export interface NewStudy {
  name?: string;
  folder?: string;
  tags?: string[];
  source?: string | null;
  at?: string[];
  tree: SentTree;
}

/** A move in every notation. */
export interface NotatedMove {
  usi: string;
  ja: string;
  en: string;
}

/** What a player has asked the other for. */
export interface Offer {
  by: Color;
  what: OfferKind;
}

/** What a player may ask the other for. */
export type OfferKind = 'draw' | 'takeback';

/** Something a friend is asked for. */
export interface OfferRequest {
  game: string;
  what: OfferKind;
}

/** The opening of a game. */
export interface Opening {
  /** The same for the same opening. */
  id: string;
  name: Words;
  black: SidePlan;
  white: SidePlan;
}

/** Who plays the other side. */
export type Opponent = { /** Its number. */ level: number; /** Whether the level is chosen by the visitor's results so far. */ adaptive?: boolean } | { engine: string; /** Milliseconds for a move. */ movetime?: number } | { /** Always true. */ human: boolean } | { /** Always true. */ friend: boolean };

/** A game of the visitor's that came through a position. */
export interface OwnGame {
  game: string;
  /** What was played there. */
  move: string;
  ja: string;
  en: string;
  opponent: Words;
  /** The visitor's result: 1 won, 0 lost, 0.5 drawn; null where the game goes on or has no side of the visitor's. */
  result: number | null;
  updated: number;
}

/** Games of one opening. */
export interface OwnOpening {
  id: string;
  name: Words;
  won: number;
  lost: number;
  /** Drawn, or without a side of one's own. */
  other: number;
  /** The latest first. */
  games: string[];
}

/** What a visitor's games began with, the most frequent first. */
export interface OwnOpenings {
  openings: OwnOpening[];
}

/** How the first engine of a pairing stands. */
export interface PairingScore {
  engines: [string, string];
  wins: number;
  draws: number;
  losses: number;
  elo: [number | null, number | null, number | null] | null;
  /** Likelihood of superiority. */
  los: number | null;
}

/** What the visitor may do now. */
export interface Permissions {
  move: boolean;
  /** Between friends: to ask for it. */
  takeback: boolean;
  /** To offer one. */
  draw: boolean;
  /** To say yes or no to what the other side offers. */
  reply: boolean;
  hint: boolean;
  resign: boolean;
  declare: boolean;
}

/** A position as it is asked about: a start and moves from there. */
export interface Place {
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
}

/** A move as the page sees it. */
export interface PlayedMove {
  ply: number;
  side: Color;
  usi: string;
  ja: string;
  en: string;
  /** Time it took. */
  ms: number;
  /** After the move. */
  sfen: string;
  check: boolean;
}

/** A position with every legal move. */
export interface Position {
  variant: Variant;
  sfen: string;
  turn: Color;
  /** Of the move to come: 1 at the start of a game. */
  ply: number;
  last: string | null;
  check: boolean;
  /** Square of the king of the side to move; null in problems without it. */
  king: string | null;
  /** Every legal move. */
  legal: string[];
  /** The same by origin. */
  destinations: Record<string, string[]>;
  /** The same by piece in hand. */
  drops: Record<string, string[]>;
  promotions: Promotions;
  hands: Hands;
  /** How the game has ended by the rules alone. */
  over: Ending | null;
  /** How often the position has stood on the board. */
  occurrences: number;
  /** Null where the game or rule has none. */
  declaration: Declaration | null;
}

/** A position that was asked about. */
export interface PositionAnswer {
  type: 'position';
  /** Of the request it answers. */
  id?: number;
  position: Position;
}

/** A game of a file that cannot be read. */
export interface Problem {
  /** From 0. */
  game: number;
  line: number;
  message: string;
}

/** Moves that may or must promote, without their `+`. */
export interface Promotions {
  /** The player chooses. */
  may: string[];
  /** Only the move with `+` is legal. */
  must: string[];
}

/** What a position is set up for. */
export type Purpose = 'game' | 'mate';

/** The rating of a player, with its error. */
export interface RatingRow {
  name: string;
  rating: number;
  error: number | null;
  wins: number;
  draws: number;
  losses: number;
}

/** How others come to this server. */
export interface Reach {
  /** Its address as other machines know it; null where none can reach it. */
  origin: string | null;
  /** What an address must carry to be let in. */
  token: string | null;
}

/** Why a move was a mistake. */
export interface Reason {
  kind: ReasonKind;
  text: Words;
  /** Whether the mate was proven by the solver. */
  proven: boolean;
}

/** What kind of mistake a move was. */
export type ReasonKind = 'missed' | 'mated' | 'loses' | 'misses' | 'worse';

/** A finished game of the server. */
export interface RecordRow {
  id: string;
  event: string;
  black: string;
  white: string;
  /** Seconds since 1970. */
  started: number;
  ended: number;
  /** The word of the CSA protocol. */
  reason: string;
  winner: Color | null;
  moves: number | null;
}

/** The answer to what a friend asked for. */
export interface ReplyRequest {
  game: string;
  agree: boolean;
}

/** A review as the page sees it; each message has the new evaluations alone. */
export interface Review {
  type: 'review';
  /** Of the request it answers. */
  id?: number;
  serial: number;
  state: WorkState;
  done: number;
  total: number;
  evaluations: ReviewEvaluation[];
  mistakes?: Mistake[];
  summary?: Summary;
  /** What the opening and the castles are called, at the end and where they have names. */
  opening?: Opening;
  code?: ErrorCode;
  message?: string;
}

/** What a position is worth. */
export interface ReviewEvaluation {
  /** 0 is the start, n the position after n moves. */
  ply: number;
  score: Score;
  winrate: number;
  depth?: number;
  nodes?: number;
  pv: string[];
  ja: string[];
  en: string[];
}

/** A game to be judged. */
export interface ReviewRequest {
  serial?: number;
  engine?: string | null;
  /** `shogi` where nothing is said. */
  variant?: Variant | null;
  /** The even start where nothing is said. */
  sfen?: string | null;
  /** Moves from there. */
  moves?: string[];
  effort?: Effort;
}

/** A game of a match that is being played. */
export interface RunningGame {
  game: number;
  players: [string, string];
  moves: number;
  sfen: string;
  last: string | null;
  turn: Color;
  /** Milliseconds both have left, the move that is thought about not counted; null without a clock. */
  left: [number | null, number | null];
  /** When it became the turn of whoever is to move, in milliseconds since 1970. */
  since: number;
}

/** A scale of win rates for each game. */
export interface Scales {
  shogi: number;
  minishogi: number;
}

/** A score from Black's point of view: `cp`, or `mate` with `winner`. */
export interface Score {
  /** Hundredths of a pawn. */
  cp?: number;
  /** Plies to the mate, positive where Black mates; null where the length is not known. */
  mate?: number | null;
  winner?: Color;
}

/** A score from Black's point of view: `cp`, or `mate` with `winner`. */
export interface ScoreInput {
  /** Hundredths of a pawn. */
  cp?: number | null;
  /** Plies to the mate, positive where Black mates; null where the length is not known. */
  mate?: number | null;
  winner?: Color | null;
}

export interface SentEval {
  score?: ScoreInput | null;
  depth?: number | null;
  nodes?: number | null;
  pv?: string[];
}

export interface SentNode {
  parent?: number | null;
  move?: string | null;
  end?: EndingInput | null;
  ms?: number | null;
  comments?: string[];
  bookmark?: string | null;
  eval?: SentEval | null;
}

/** A record as the page sends it. */
export interface SentTree {
  variant?: Variant | null;
  start?: string | null;
  headers?: [string, string][];
  black?: string | null;
  white?: string | null;
  nodes: SentNode[];
}

/** A game of the server. Clocks and watchers are known from a status page alone. */
export interface ServerGame {
  id: string;
  event: string;
  black: string;
  white: string;
  moves: number;
  sfen: string;
  turn: Color;
  running: boolean;
  black_seconds: number | null;
  white_seconds: number | null;
  /** Seconds since it became the turn of whoever is to move; while the clock stands, null. */
  elapsed: number | null;
  watchers: number | null;
  last: string | null;
}

/** What the server sends on the socket. */
export type ServerMessage =
  | { type: 'ok'; id?: number }
  | { type: 'pong'; id?: number }
  | ({ type: 'error'; id?: number } & ApiError)
  | PositionAnswer
  | Line
  | Game
  | ThinkingLine
  | Hint
  | Analysis
  | Review
  | MateAnswer
  | Growth
  | WatchAnswer;

/** Somebody logged in to the server. */
export interface ServerPlayer {
  name: string;
  waits_for: string | null;
}

/** A server as a whole; connections and players are known from a status page alone. */
export interface ServerStatus {
  connections: number | null;
  players: ServerPlayer[] | null;
  /** Games that go on. */
  running: number;
}

/** Which side the visitor plays. */
export type Side = 'black' | 'white' | 'both' | 'watch';

/** What one side built. */
export interface SidePlan {
  /** Where its rook went. */
  rook: Words;
  /** The castle it had longest. */
  castle: Words | null;
}

/** The mistakes of one side. */
export interface SideSummary {
  moves: number;
  /** Win rate lost by a move, on average. */
  loss: number;
  inaccuracies: number;
  mistakes: number;
  blunders: number;
}

/** An analysis to end. */
export interface SlotRequest {
  slot?: string;
}

/** The ratio after so many games. */
export interface SprtPoint {
  games: number;
  ratio: number;
}

/** All numbers after an iteration, in their order. */
export interface SpsaPoint {
  iteration: number;
  values: number[];
}

/** A row of the table of an event. */
export interface Standing {
  rank: number;
  name: string;
  points: number;
  solkoff: number;
  berger: number;
  wins: number;
  draws: number;
  losses: number;
}

/** A page of the visitor's studies, the one that changed last first. */
export interface Studies {
  studies: StudySummary[];
  /** Found in all, on this page and others. */
  total: number;
  /** Of everything that is not in the bin, by name. */
  folders: StudyCount[];
  tags: StudyCount[];
  /** In the bin. */
  deleted: number;
}

/** A study with its record. */
export interface Study {
  about: StudySummary;
  tree: Tree;
  /** Moves from the start to the place last looked at. */
  at: string[];
}

/** A change of a study; what is absent stays. */
export interface StudyChange {
  name?: string | null;
  folder?: string | null;
  tags?: string[] | null;
  at?: string[] | null;
  tree?: SentTree | null;
  /** The revision the record was made from; needed with `tree`. */
  revision?: number | null;
}

/** How many studies have something. */
export interface StudyCount {
  name: string;
  count: number;
}

/** What the list says of a study. */
export interface StudySummary {
  study: string;
  /** As the visitor named it; empty where that was not done. */
  name: string;
  /** Empty: in none. */
  folder: string;
  tags: string[];
  /** What it was made from, such as `game:` with the id of a game. */
  source: string | null;
  variant: Variant;
  black: string | null;
  white: string | null;
  /** Moves of the main line. */
  plies: number;
  /** Moves with all variations. */
  moves: number;
  /** Grows with every change of the record. */
  revision: number;
  created: number;
  updated: number;
  /** When it was put into the bin. */
  deleted: number | null;
}

/** How our engine likes to play, among moves that are about as good. */
export type Style = 'any' | 'static' | 'ranging' | 'attack' | 'solid';

/** The mistakes of both sides. */
export interface Summary {
  black: SideSummary;
  white: SideSummary;
}

/** What the engine of a game is doing. */
export type Thinking = 'running' | 'queued';

/** A line of thought about the position of a game. */
export interface ThinkingLine {
  type: 'thinking';
  /** Of the request it answers. */
  id?: number;
  game: string;
  revision: number;
  depth?: number;
  score?: Score;
  winrate?: number;
  nodes?: number;
  nps?: number;
  ms?: number;
  pv: string[];
  ja: string[];
  en: string[];
}

/** A record with its variations. Parents come before children, node 0 is the start, the first child of a node continues the main line. */
export interface Tree {
  variant: Variant;
  start: string;
  handicap: string | null;
  headers: [string, string][];
  black: string | null;
  white: string | null;
  nodes: TreeNode[];
}

/** A node has either `move` or `end`; what has ended has no children. */
export interface TreeNode {
  parent: number | null;
  move?: string;
  ja?: string;
  en?: string;
  /** After the move. */
  sfen?: string;
  check?: boolean;
  end?: Ending;
  ms?: number;
  comments?: string[];
  bookmark?: string;
  eval?: Evaluation;
}

/** What was read from a file. */
export interface Trees {
  /** The format, if it is known. */
  format: string | null;
  games: Tree[];
  problems: Problem[];
  /** Games beyond what one answer holds. */
  left_out: number;
}

/** The answer to an attempt. */
export interface TsumeAnswer {
  state: TsumeState;
  reply?: string;
  /** When it is over. */
  solution?: TsumeSolution;
  progress?: TsumeProgress;
}

/** Moves of an attempt, or the wish to be shown the solution. */
export interface TsumeAttempt {
  moves?: string[];
  /** Whether something wrong was tried before. */
  failed?: boolean;
  giveUp?: boolean;
}

/** Problems of one length. */
export interface TsumeLength {
  plies: number;
  solved: number;
  total: number;
}

/** The next problem, and how far somebody has come. */
export interface TsumeNext {
  /** Null when every problem is solved and none is due. */
  problem: TsumeProblem | null;
  /** Whether it was met before and is due again. */
  again: boolean;
  progress: TsumeProgress;
}

/** A problem as the page sees it. */
export interface TsumeProblem {
  id: string;
  sfen: string;
  /** To the mate. */
  plies: number;
  /** How hard it is, from 1. */
  level: number;
  /** Who mates. */
  turn: Color;
}

/** How far somebody has come. */
export interface TsumeProgress {
  level: number;
  /** Problems met, and solved at least once without a mistake. */
  met: number;
  solved: number;
  /** To be repeated now. */
  due: number;
  /** Problems there are. */
  total: number;
  /** Solved without a mistake in a row. */
  streak: number;
  /** Solved and there are, by plies to the mate. */
  lengths: TsumeLength[];
}

/** A solution, every reply the longest. */
export interface TsumeSolution {
  line: string[];
  ja: string[];
  en: string[];
}

/** How an attempt stands. */
export type TsumeState = 'wrong' | 'solved' | 'right';

/** The game: shogi on 9×9 or minishogi on 5×5. */
export type Variant = 'shogi' | 'minishogi';

/** A game and its rules. */
export interface VariantFacts {
  id: Variant;
  /** Files and ranks. */
  size: number;
  start: string;
  name: Words;
  /** Kinds of pieces a hand may hold, as USI letters. */
  hand: string[];
  /** Rules by which a win may be declared. */
  declarations: string[];
}

/** How something that is watched stands. */
export interface WatchAnswer {
  type: 'watch';
  /** Of the request it answers. */
  id?: number;
  what: WatchKind;
  data: WatchData;
}

/** The cluster of a file. */
export interface WatchCluster {
  /** The name of the file. */
  source: string;
  /** Whether its master is running. */
  live: boolean;
  error: string | null;
  /** How everything stands or stood last; null where it cannot be read. */
  view: ClusterView | null;
}

/** How something that is watched stands. */
export type WatchData = WatchServer | WatchMatch | WatchLearn | WatchFleet | WatchCluster;

/** The fleet of a folder. */
export interface WatchFleet {
  /** The name of its folder. */
  source: string;
  /** Whether a coordinator is running. */
  live: boolean;
  error: string | null;
  /** Games a minute of all runs under way together. */
  games_a_minute: number;
  /** Tasks that workers have, and tasks that wait for one. */
  leased: number;
  waiting: number;
  /** Whether no task is handed out. */
  draining: boolean;
  /** The newest first: all that are under way, and the latest of those that have ended. */
  runs: FleetRun[];
  /** How many have ended and are not among them. */
  earlier: number;
  workers: FleetWorker[];
  /** How many more workers there are. */
  more_workers: number;
  /** The newest first. */
  faults: FleetFault[];
}

/** What is watched. */
export type WatchKind = 'server' | 'match' | 'learn' | 'fleet' | 'cluster';

/** Learning in its folders; a ledger of both games is told as two labs. */
export interface WatchLearn {
  labs: Lab[];
}

/** Matches between engines. */
export interface WatchMatch {
  matches: Match[];
}

/** Something to watch. */
export interface WatchRequest {
  what: WatchKind;
}

/** A CSA server, from its data file or its status page; a part that is not known is null. */
export interface WatchServer {
  /** The name of the file or the address of the page. */
  source: string;
  /** Whether it could be read just now. */
  live: boolean;
  /** When it was read, in whole minutes: milliseconds since 1970. */
  at: number;
  error: string | null;
  status: ServerStatus | null;
  games: ServerGame[] | null;
  standings: EventStandings[] | null;
  ratings: RatingRow[] | null;
  records: RecordRow[] | null;
}

/** What can be watched. */
export interface Watchable {
  server: boolean;
  match: boolean;
  learn: boolean;
  fleet: boolean;
  cluster: boolean;
}

/** A text in both languages. */
export interface Words {
  en: string;
  ja: string;
}

/** How a long search stands. */
export type WorkState = 'running' | 'stopped' | 'queued' | 'done' | 'failed' | 'over';

/** A record to be written as a file. */
export interface WriteRequest {
  /** `kif`, `ki2`, `csa`, `jkf`, `usi` or `sfen` (the start position alone). */
  format: string;
  /** `utf-8` where nothing is said, or `shift_jis`. */
  encoding?: string | null;
  tree: SentTree;
}
