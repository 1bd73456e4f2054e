// One game being played elsewhere, as large as its place: board, players, clocks, and what its engines think.

import { useEffect, useState } from 'preact/hooks';
import { colorName } from '../board/announce';
import { Board } from '../board/Board';
import { isHandicap, opposite } from '../board/shogi';
import { facts, scale } from '../hello';
import { t } from '../i18n';
import type { Color, Evaluation, Tree } from '../net/contract';
import { clockText, endingText, percent, scoreText, spentText, winrateOf } from '../parts/format';
import { leftNow, lineOf, loadRecord, records, used, variantOf, type LiveGame } from './live';

/** The record of a game, fetched with every move and once more when it is over. */
export function useRecord(game: LiveGame, running: boolean): Tree | undefined {
  useEffect(() => {
    void loadRecord(game.key);
    // The file of a finished game may come a moment after its end.
    const timer = running ? undefined : setTimeout(() => void loadRecord(game.key), 1500);
    return () => clearTimeout(timer);
  }, [game.key, game.moves, running]);
  return records.value[game.key];
}

/** The moment, every tenth of a second while a clock runs. */
function useNow(running: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

/** The last thing a side's engine said, if it says anything. */
export function opinion(tree: Tree | undefined, color: Color): Evaluation | undefined {
  if (!tree) return undefined;
  const line = lineOf(tree);
  const begins: Color = tree.start.split(' ')[1] === 'w' ? 'white' : 'black';
  const own = line.filter((node, index) => index > 0 && node.eval?.score && ((index - 1) % 2 === 0) === (color === begins));
  return own[own.length - 1]?.eval;
}

export function evaluationText(evaluation: Pick<Evaluation, 'score' | 'winrate'>, sfen: string): string {
  const rate = winrateOf(evaluation, scale(variantOf(sfen)));
  return [scoreText(evaluation.score), rate === null ? '' : percent(rate)].filter((text) => text !== '').join(' · ');
}

interface PlayerProps { game: LiveGame; tree: Tree | undefined; color: Color; running: boolean }

export function LivePlayer({ game, tree, color, running }: PlayerProps) {
  const turn = running && game.turn === color;
  const now = useNow(turn && game.since !== null);
  const left = leftNow(game, color, now);
  const spent = left === null && tree ? used(tree, color) : null;
  const said = opinion(tree, color);
  const handicap = isHandicap(tree?.start ?? game.sfen) && tree !== undefined;
  return (
    <div class={`player live-player ${turn ? 'turn' : ''}`} data-live-player={color}>
      <span class="side-mark" aria-hidden="true">{color === 'black' ? '☗' : '☖'}</span>
      <span class="unseen">{colorName(color, handicap)}</span>
      <span class="player-name">{game.names[color]}</span>
      {said && <span class="faint live-opinion" title={t('live.opinion')}>{evaluationText(said, game.sfen)}</span>}
      {left !== null && <span class={`clock ${turn ? 'running' : ''} ${turn && left < 10000 ? 'low' : ''}`} role="timer" aria-label={t('clock.label')}>{clockText(left)}</span>}
      {spent !== null && <span class="clock" aria-label={t('live.used')} title={t('live.used')}>{spentText(spent)}</span>}
    </div>
  );
}

/** What the engines think, as one bar: the mean of their last words. */
export function LiveBar({ tree, sfen }: { tree: Tree | undefined; sfen: string }) {
  const rates = (['black', 'white'] as Color[]).flatMap((color) => {
    const said = opinion(tree, color);
    const rate = said ? winrateOf(said, scale(variantOf(sfen))) : null;
    return rate === null ? [] : [rate];
  });
  if (rates.length === 0) return null;
  const rate = rates.reduce((sum, one) => sum + one, 0) / rates.length;
  const words = t('live.bar', { side: colorName('black'), rate: percent(rate) });
  return <div class="live-bar" role="img" aria-label={words} title={words}><span style={{ width: percent(rate, 1) }} /></div>;
}

/** How a game ended, or that it is not known any more. */
export function resultText(tree: Tree | undefined): string {
  const end = tree ? lineOf(tree).find((node) => node.end)?.end : undefined;
  return end ? endingText(end, undefined, isHandicap(tree?.start ?? '')) : t('live.over');
}

interface Props { game: LiveGame; running: boolean; orientation: Color; ply?: number | null; onStep?: (by: number) => void; quiet?: boolean }

export function LiveBoard({ game, running, orientation, ply = null, onStep, quiet }: Props) {
  const tree = useRecord(game, running);
  const line = tree ? lineOf(tree).filter((node) => !node.end) : [];
  // The record comes a moment after the position: whichever is further is shown.
  const latest = line.length - 1 >= game.moves ? line[line.length - 1] : undefined;
  const shown = ply === null ? latest : line[ply];
  const sfen = shown?.sfen ?? (ply === 0 && tree ? tree.start : game.sfen);
  const last = shown ? shown.move : game.last;
  return (
    <>
      <LivePlayer game={game} tree={tree} color={opposite(orientation)} running={running} />
      <Board view={{ sfen, last: last ?? null, mover: null, handicap: isHandicap(tree?.start ?? sfen) }} orientation={orientation} hand={facts(variantOf(sfen)).hand} {...(onStep && { onStep })} {...(quiet && { quiet })} />
      <LivePlayer game={game} tree={tree} color={orientation} running={running} />
      <LiveBar tree={tree} sfen={game.sfen} />
      {!running && <p class="live-result" role="status">{resultText(tree)}</p>}
    </>
  );
}
