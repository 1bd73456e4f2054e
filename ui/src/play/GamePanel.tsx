// Beside the board during a game: what is going on, the moves, and what may be done.

import { useState } from 'preact/hooks';
import type { Color, Game, NamedOpponent, Opponent } from '../net/contract';
import { gameName, hello } from '../hello';
import { notated, t } from '../i18n';
import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { endingText, percent, scoreText, seenBy } from '../parts/format';
import { Dialog } from '../parts/Dialog';
import { MoveEntry } from '../parts/MoveEntry';
import { routeHash } from '../route';
import { FriendPanel } from './FriendPanel';
import { ownName } from './friends';
import { MoveList } from './MoveList';
import { saveGame } from './saveGame';
import { NewGameForm } from './NewGameForm';
import { askHint, asking, declare, flipped, hint, move, offerDraw, resign, shownPly, start, step, takeBack } from './state';

export function statusText(game: Game): string {
  const handicap = isHandicap(game.start);
  if (game.ending) return endingText(game.ending, game.you, handicap);
  if (game.friends && (!game.friends.black.taken || !game.friends.white.taken)) return t('friend.waiting');
  if (game.you === 'both' || game.you === 'watch') return t('play.turn', { side: colorName(game.position.turn, handicap) });
  if (game.thinking === 'queued') return t('play.queued');
  if (game.position.turn !== game.you) return game.friends ? t('friend.theirturn') : t('play.thinking');
  return game.position.check ? t('play.yourturncheck') : t('play.yourturn');
}

function Status({ game }: { game: Game }) {
  const tone = !game.ending ? '' : game.ending.winner === game.you ? 'won' : game.ending.winner && game.you !== 'both' && game.you !== 'watch' ? 'lost' : 'drawn';
  return (
    <div class={`status ${tone} ${game.status}`} data-status={game.status} data-reason={game.ending?.reason}>
      <p class="status-text">{statusText(game)}</p>
      {game.thinking && <span class="dots" aria-hidden="true"><i /><i /><i /></span>}
    </div>
  );
}

function HintLine({ turn }: { turn: Color }) {
  const now = hint.value;
  if (!now) return null;
  // Whoever asks is to move: the numbers are from that side.
  const { score, winrate } = seenBy(turn, now);
  return <p class="hint-line" data-hint={now.move}>{t('play.hintis', { move: notated(now) })} {winrate !== undefined && <span class="faint">{scoreText(score)} · {percent(winrate)}</span>}</p>;
}

function Actions({ game }: { game: Game }) {
  const [sure, setSure] = useState(false);
  if (game.status === 'over' || game.you === 'watch') return null;
  if (sure) {
    return (
      <div class="actions" role="group" aria-label={t('play.sure')}>
        <span>{t('play.sure')}</span>
        <button type="button" class="danger" data-resign-sure onClick={() => { setSure(false); void resign(); }}>{t('play.resign')}</button>
        <button type="button" onClick={() => setSure(false)}>{t('cancel')}</button>
      </div>
    );
  }
  return (
    <div class="actions">
      {game.friends ? <button type="button" disabled={!game.may.draw} onClick={() => void offerDraw()} data-draw>{t('friend.draw')}</button>
        : <button type="button" disabled={!game.may.hint || asking.value} onClick={() => void askHint()} data-hint-button>{asking.value ? t('play.asking') : t('play.hint')}</button>}
      <button type="button" disabled={!game.may.takeback} onClick={() => void takeBack()} data-takeback>{t('play.takeback')}</button>
      <button type="button" disabled={!game.may.resign} onClick={() => setSure(true)} data-resign>{t('play.resign')}</button>
      {game.may.declare && <button type="button" class="primary" onClick={() => void declare()} data-declare>{t('play.declare')}</button>}
    </div>
  );
}

function sameOpponent({ level, engine, movetime, adaptive, friend }: NamedOpponent): Opponent {
  if (friend) return { friend };
  if (level !== undefined) return { level, ...(adaptive && { adaptive }) };
  return engine === undefined ? { human: true } : { engine, movetime: movetime ?? 1000 };
}

function AfterGame({ game }: { game: Game }) {
  if (game.status !== 'over') return null;
  const side = game.you === 'black' || game.you === 'white' ? game.you : 'black';
  const again = (): void => void start({
    variant: game.variant, ...(game.handicap ? { handicap: game.handicap } : { start: game.start }), side, clock: game.clock,
    declaration: game.declarationRule, maxMoves: game.maxMoves, style: game.style, natural: game.natural, name: ownName(),
    opponent: sameOpponent(game.opponent),
  });
  return (
    <div class="actions">
      {game.you !== 'watch' && <button type="button" class="primary" onClick={again}>{t('play.again')}</button>}
      <a class="button" href={routeHash('practise', 'game', game.game)} data-learn-link>{t('play.learn')}</a>
      <a class="button" href={routeHash('analyse', 'game', game.game)} data-analyse>{t('play.analyse')}</a>
      {!game.friends && <button type="button" disabled={!game.may.takeback} onClick={() => void takeBack()} data-takeback>{t('play.takeback')}</button>}
    </div>
  );
}

function Declaration({ game }: { game: Game }) {
  const facts = game.position.declaration;
  if (!facts || !facts.entered || game.status === 'over') return null;
  return <p class="faint">{t('play.declaration', { points: facts.points ?? 0, needed: facts.needed ?? 0, pieces: facts.pieces ?? 0 })}</p>;
}

function Steps({ game }: { game: Game }) {
  const at = shownPly.value ?? game.moves.length;
  const button = (by: number, sign: string, name: string, off: boolean) => (
    <button type="button" aria-label={name} title={name} disabled={off} onClick={() => step(by)}>{sign}</button>
  );
  const first = at === 0;
  const last = at === game.moves.length;
  return (
    <div class="steps">
      {button(-9999, '|◀', t('step.first'), first)}
      {button(-1, '◀', t('step.back'), first)}
      {button(1, '▶', t('step.forward'), last)}
      {button(9999, '▶|', t('step.last'), last)}
      <button type="button" aria-label={t('flip')} title={t('flip')} onClick={() => (flipped.value = !flipped.value)} data-flip>⇅</button>
    </div>
  );
}

export function GamePanel({ game }: { game: Game }) {
  const [creating, setCreating] = useState(false);
  return (
    <aside class="panel">
      <h1 class="panel-title">{gameName(game.variant, game.handicap)}</h1>
      <Status game={game} />
      <FriendPanel game={game} />
      <HintLine turn={game.position.turn} />
      <Declaration game={game} />
      <Actions game={game} />
      <AfterGame game={game} />
      <MoveList game={game} />
      <Steps game={game} />
      {game.you !== 'watch' && <MoveEntry position={game.position} enabled={game.may.move && shownPly.value === null} onMove={(usi) => void move(usi)} />}
      <div class="actions quiet">
        <button type="button" onClick={() => setCreating(true)} data-new>{t('play.new')}</button>
        <details class="menu">
          <summary>{t('play.save')}</summary>
          <div>{(hello.value?.formats ?? []).map((format) => <button key={format} type="button" class="plain" onClick={() => void saveGame(game, format)} data-save={format}>{format.toUpperCase()}</button>)}</div>
        </details>
        <a class="button" href={routeHash('play')}>{t('play.yours')}</a>
      </div>
      {creating && <Dialog title={t('play.new')} close={() => setCreating(false)}><NewGameForm started={() => setCreating(false)} /></Dialog>}
    </aside>
  );
}
