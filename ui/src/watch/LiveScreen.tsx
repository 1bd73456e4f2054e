// Games being played elsewhere, on full boards: one with its moves and engines, or several side by side; and
// the same without anything else, for a big screen.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../board/announce';
import { opposite } from '../board/shogi';
import { hello } from '../hello';
import { notated, t } from '../i18n';
import type { Color, Evaluation, Line, Tree } from '../net/contract';
import { connection } from '../net/socket';
import { shortcuts, stepKeys } from '../parts/keys';
import { spentText } from '../parts/format';
import { sound } from '../parts/sound';
import { go, route, routeHash } from '../route';
import { startWatching, engineLine, watched } from './liveEngine';
import { evaluationText, LiveBoard, opinion } from './LiveBoard';
import { analysisParts, layout, lineOf, liveGames, records, variantOf, type LiveGame } from './live';
import { watch } from './state';

/** How long a finished game stays among all others. */
const FAREWELL = 20000;
const ALL = 'all';

/** The games that are wanted, those that have just ended among them. */
function useGames(keys: readonly string[]): { game: LiveGame; running: boolean }[] {
  const seen = useRef(new Map<string, { game: LiveGame; ended: number | null }>());
  const [, again] = useState(0);
  const now = liveGames.value;
  const all = keys.includes(ALL);
  for (const game of now) if (all || keys.includes(game.key)) seen.current.set(game.key, { game, ended: null });
  for (const [key, known] of seen.current) {
    if (!all && !keys.includes(key)) seen.current.delete(key);
    else if (!now.some((game) => game.key === key)) known.ended ??= Date.now();
  }
  if (all) for (const [key, { ended }] of seen.current) if (ended !== null && Date.now() - ended > FAREWELL) seen.current.delete(key);
  const waiting = all && [...seen.current.values()].some(({ ended }) => ended !== null);
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => again((n) => n + 1), 2000);
    return () => clearInterval(timer);
  }, [waiting]);
  return [...seen.current.values()].map(({ game, ended }) => ({ game, running: ended === null }));
}

function Moves({ tree, ply, show }: { tree: Tree; ply: number | null; show: (ply: number | null) => void }) {
  const list = useRef<HTMLOListElement>(null);
  const moves = lineOf(tree).slice(1).filter((node) => node.move);
  const shown = ply ?? moves.length;
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [shown, moves.length]);
  if (moves.length === 0) return <p class="faint">{t('play.nomoves')}</p>;
  return (
    <ol class="moves" ref={list} aria-label={t('play.moves')} tabIndex={0}>
      {moves.map((node, index) => (
        <li key={index}>
          <button type="button" class="move" aria-current={index + 1 === shown ? 'true' : undefined} onClick={() => show(index + 1 === moves.length ? null : index + 1)}>
            <span class="ply">{index + 1}</span>
            <span class="text">{node.ja && node.en ? notated({ ja: node.ja, en: node.en }) : node.move}</span>
            <span class="spent">{node.eval ? evaluationText(node.eval, tree.start) : spentText(node.ms)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** A line an engine gave with its last move, in words; it begins after that move. */
function OpinionLine({ game, tree, color }: { game: LiveGame; tree: Tree; color: Color }) {
  const said: Evaluation | undefined = opinion(tree, color);
  const [words, setWords] = useState('');
  const line = lineOf(tree);
  const at = said ? line.findIndex((node) => node.eval === said) : -1;
  const pv = said?.pv ?? [];
  useEffect(() => {
    setWords('');
    if (at < 0 || pv.length === 0) return;
    const moves = line.slice(1, at + 1).flatMap((node) => node.move ?? []);
    connection().request<Line>({ type: 'line', variant: tree.variant, sfen: tree.start, moves, line: pv.slice(0, 8) }).then((answer) => setWords(notated(answer).join(' ')), () => undefined);
  }, [at, pv.join(' ')]);
  if (!said) return null;
  return (
    <p class="live-line">
      <strong>{game.names[color]}</strong> {evaluationText(said, game.sfen)}{said.depth ? <span class="faint"> {t('live.depth', { n: said.depth })}</span> : null}
      {words && <span class="live-pv">{words}</span>}
    </p>
  );
}

function OwnEngine({ game, tree }: { game: LiveGame; tree: Tree | undefined }) {
  const on = watched.value === game.key;
  const moves = tree ? lineOf(tree).slice(1).flatMap((node) => node.move ?? []) : [];
  const place = moves.join(' ');
  useEffect(() => {
    if (on && tree) return startWatching(game.key, tree.variant, tree.start, moves);
    return undefined;
  }, [on, tree?.start, place]);
  const line = on ? engineLine.value : null;
  return (
    <div class="live-engine" data-live-engine={on ? 'on' : 'off'}>
      <button type="button" class="small" aria-pressed={on} disabled={!tree} onClick={() => (watched.value = on ? null : game.key)} data-live-engine-button>{on ? t('live.engineoff') : t('live.engineon')}</button>
      {line && <p class="live-line"><strong>Nue</strong> {evaluationText(line, game.sfen)} <span class="faint">{t('live.depth', { n: line.depth ?? 0 })}</span><span class="live-pv">{notated(line).slice(0, 8).join(' ')}</span></p>}
    </div>
  );
}

/** Which games are shown, to be ticked. */
function Boards({ keys }: { keys: readonly string[] }) {
  const games = liveGames.value;
  if (games.length < 2) return null;
  const all = keys.includes(ALL);
  const tick = (key: string, on: boolean): void => {
    const now = all ? games.map((game) => game.key) : keys;
    const next = on ? [...now, key] : now.filter((other) => other !== key);
    if (next.length > 0) go(routeHash('watch', 'live', ...next), true);
  };
  return (
    <details class="rules live-boards" open={keys.length === 1 && !all}>
      <summary>{t('live.boards', { n: games.length })}</summary>
      {games.map((game) => (
        <label key={game.key} class="tick">
          <input type="checkbox" checked={all || keys.includes(game.key)} onChange={(event) => tick(game.key, event.currentTarget.checked)} data-tick={game.key} />
          <span>{game.names.black} – {game.names.white} <small class="faint">{game.event}</small></span>
        </label>
      ))}
      {!all && <a class="button" href={routeHash('watch', 'live', ALL)} data-live-all>{t('live.all')}</a>}
    </details>
  );
}

function Single({ game, running, keys }: { game: LiveGame; running: boolean; keys: readonly string[] }) {
  const [ply, setPly] = useState<number | null>(null);
  const [orientation, setOrientation] = useState<Color>('black');
  const tree = records.value[game.key];
  const moves = tree ? lineOf(tree).filter((node) => node.move) : [];
  const count = moves.length;
  const step = (by: number): void => {
    const next = Math.min(count, Math.max(0, (ply ?? count) + by));
    setPly(next === count ? null : next);
  };
  useEffect(() => {
    const ends = [stepKeys(step), shortcuts({ f: () => setOrientation(opposite(orientation)) })];
    return () => {
      for (const end of ends) end();
    };
  });
  // A new move is heard and said.
  const known = useRef(-1);
  useEffect(() => {
    const last = moves[count - 1];
    if (known.current >= 0 && count > known.current && last) {
      sound('piece');
      announce(last.ja && last.en ? notated({ ja: last.ja, en: last.en }) : (last.move ?? ''));
    }
    if (tree) known.current = count;
  }, [count, tree === undefined]);
  return (
    <main class="screen play live-single" data-live={game.key} data-moves={count} data-running={String(running)}>
      <section class="board-column" aria-label={t('board.label')}>
        <LiveBoard game={game} running={running} orientation={orientation} ply={ply} onStep={step} />
      </section>
      <aside class="panel">
        <h1 class="panel-title">{game.names.black} – {game.names.white}</h1>
        <p class="faint">{game.event}{running && <> · <span class="live">{t('watch.live')}</span></>}</p>
        {tree && <section aria-label={t('live.opinion')}>{(['black', 'white'] as Color[]).map((color) => <OpinionLine key={color} game={game} tree={tree} color={color} />)}</section>}
        <OwnEngine game={game} tree={tree} />
        {tree && <Moves tree={tree} ply={ply} show={setPly} />}
        <div class="steps">
          {([[-9999, '|◀', t('step.first')], [-1, '◀', t('step.back')], [1, '▶', t('step.forward')], [9999, '▶|', t('step.last')]] as const).map(([by, sign, name]) => <button key={by} type="button" aria-label={name} title={name} onClick={() => step(by)} data-step={by}>{sign}</button>)}
          <button type="button" aria-label={t('flip')} title={t('flip')} onClick={() => setOrientation(opposite(orientation))}>⇅</button>
        </div>
        <div class="actions">
          <a class="button" href={routeHash('analyse', ...analysisParts(game.key))} data-live-analyse>{t('play.analyse')}</a>
          <a class="button" href={routeHash('watch', 'big', ...keys)} data-live-big>{t('live.big')}</a>
        </div>
        <Boards keys={keys} />
      </aside>
    </main>
  );
}

function Several({ games, keys, big }: { games: { game: LiveGame; running: boolean }[]; keys: readonly string[]; big: boolean }) {
  const place = useRef<HTMLUListElement>(null);
  const [size, setSize] = useState({ width: 1000, height: 700 });
  useEffect(() => {
    const measure = (): void => {
      const box = place.current?.getBoundingClientRect();
      if (box) setSize({ width: box.width, height: Math.max(260, window.innerHeight - box.top - 8) });
    };
    measure();
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, [big, games.length]);
  const small = games.every(({ game }) => variantOf(game.sfen) === 'minishogi');
  // Beside a phone's board there is no room for hands: they lie above and below it.
  const upright = matchMedia('(max-width: 720px) and (orientation: portrait)').matches;
  const [wide, high] = small ? [upright ? 6 : 8.9, upright ? 11 : 8.6] : [upright ? 10 : 12.9, upright ? 15 : 12.8];
  const { columns, side } = upright ? { columns: 1, side: Math.min((size.width - 20) / wide, 60) } : layout(games.length, size.width, size.height, wide, high);
  return (
    <main class={`live-several ${big ? 'big' : ''}`} data-boards={games.length}>
      <h1 class="unseen">{t('live.title')}</h1>
      {!big && (
        <div class="actions">
          <a class="button" href={routeHash('watch')}>{t('live.leave')}</a>
          <a class="button" href={routeHash('watch', 'big', ...keys)} data-live-big>{t('live.big')}</a>
        </div>
      )}
      {games.length === 0 && <p class="loading">{t('live.none')}</p>}
      <ul class="live-grid" ref={place} style={{ '--side': `${side}px`, '--side-5': `${side}px`, 'grid-template-columns': `repeat(${columns}, 1fr)` }}>
        {games.map(({ game, running }) => (
          <li key={game.key} data-live={game.key} data-running={String(running)}>
            <LiveBoard game={game} running={running} orientation="black" quiet />
            {!big && <a class="faint" href={routeHash('watch', 'live', game.key)}>{game.event} · {t('play.plies', { n: game.moves })}</a>}
          </li>
        ))}
      </ul>
      {!big && <Boards keys={keys} />}
    </main>
  );
}

/** Nothing but boards, over the whole screen where the browser allows it; Escape leaves. */
function useBig(big: boolean, keys: readonly string[]): void {
  // Before the page is drawn: no heading flashes up.
  useLayoutEffect(() => {
    if (!big) return;
    const root = document.documentElement;
    root.classList.add('big-screen');
    // Only after a click of the visitor's; where the address was typed the window is filled instead.
    void root.requestFullscreen?.().catch(() => undefined);
    const leave = (): void => go(routeHash('watch', 'live', ...keys));
    const key = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') leave();
    };
    const change = (): void => {
      if (!document.fullscreenElement) leave();
    };
    window.addEventListener('keydown', key);
    document.addEventListener('fullscreenchange', change);
    return () => {
      window.removeEventListener('keydown', key);
      document.removeEventListener('fullscreenchange', change);
      root.classList.remove('big-screen');
      if (document.fullscreenElement) void document.exitFullscreen();
    };
  }, [big, keys.join()]);
}

export function LiveScreen() {
  const [mode, ...named] = route.value.rest;
  const keys = named.length > 0 ? named : [ALL];
  const big = mode === 'big';
  useEffect(() => {
    const there = hello.value?.watch;
    const ends = [there?.server ? watch('server') : undefined, there?.match ? watch('match') : undefined];
    return () => {
      for (const end of ends) end?.();
    };
  }, []);
  useBig(big, keys);
  const games = useGames(keys);
  const only = games[0];
  if (only && keys.length === 1 && keys[0] !== ALL && !big) return <Single key={only.game.key} game={only.game} running={only.running} keys={keys} />;
  return <Several games={games} keys={keys} big={big} />;
}
