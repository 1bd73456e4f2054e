// Playing: the board in the middle, the players above and below it, the panel beside it.

import { useEffect } from 'preact/hooks';
import type { Color, Game } from '../net/contract';
import { Board } from '../board/Board';
import type { Mark, View } from '../board/ground';
import { isHandicap, opposite } from '../board/shogi';
import { colorName } from '../board/announce';
import { facts } from '../hello';
import { say, t } from '../i18n';
import { connection } from '../net/socket';
import { focusEntry, shortcuts, stepKeys } from '../parts/keys';
import { route } from '../route';
import { Clock } from './Clock';
import { GameList } from './GameList';
import { GamePanel, statusText } from './GamePanel';
import { NewGameForm } from './NewGameForm';
import { askHint, bottom, flipped, follow, game, hint, join, missing, move, nonce, shownPly, step, takeBack } from './state';

function viewOf(now: Game): View {
  const ply = shownPly.value;
  if (ply !== null) {
    const shown = now.moves[ply - 1];
    return { sfen: shown?.sfen ?? now.start, last: shown?.usi, mover: null, nonce: nonce.value, handicap: isHandicap(now.start) };
  }
  const { position } = now;
  const playing = now.status === 'playing';
  return {
    sfen: position.sfen,
    last: position.last,
    check: position.check ? position.king : null,
    mover: playing && now.you !== 'watch' ? now.you : null,
    position: now.may.move ? position : null,
    premoves: playing && (now.you === 'black' || now.you === 'white') && !now.friends,
    nonce: nonce.value,
    handicap: isHandicap(now.start),
  };
}

/** What somebody is called beside the board. */
function nameOf(now: Game, color: Color): string {
  const you = now.you === color;
  if (now.friends) {
    const { name, taken } = now.friends[color];
    return name ?? (you ? t('play.you') : taken ? t('friend.player') : t('friend.nobody'));
  }
  return now.you === 'both' ? '' : you ? t('play.you') : now.opponent.name ? say(now.opponent.name) : '';
}

function Player({ game: now, color }: { game: Game; color: Color }) {
  const side = colorName(color, isHandicap(now.start));
  const name = nameOf(now, color);
  const away = now.friends?.[color].taken && !now.friends[color].here;
  return (
    <div class={`player ${now.position.turn === color && now.status === 'playing' ? 'turn' : ''}`}>
      <span class={`side-mark ${color}`} aria-hidden="true">{color === 'black' ? '☗' : '☖'}</span>
      <span class="player-name">{name || side}</span>
      {name && <span class="faint">{side}</span>}
      {away && <span class="faint" data-away={color}>{t('friend.away')}</span>}
      <Clock game={now} color={color} />
    </div>
  );
}

/** The tab says how the game stands, and marks that it is the visitor's turn. */
function useTitle(now: Game): void {
  const mine = (now.status === 'playing' && now.may.move && now.you !== 'both') || now.may.reply;
  const title = `${mine ? '● ' : ''}${statusText(now)}`;
  useEffect(() => {
    const usual = document.title;
    document.title = `${title} – ${usual}`;
    return () => {
      document.title = usual;
    };
  }, [title]);
}

function Running({ now }: { now: Game }) {
  useEffect(() => {
    const ends = [stepKeys(step), shortcuts({
      f: () => (flipped.value = !flipped.value),
      m: focusEntry,
      h: () => { if (game.value?.may.hint) void askHint(); },
      u: () => { if (game.value?.may.takeback) void takeBack(); },
    })];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  useTitle(now);
  const orientation = bottom(now);
  const marks: Mark[] = hint.value && shownPly.value === null ? [{ move: hint.value.move, brush: 'hint' }] : [];
  return (
    <main class="screen play" data-game={now.game} data-moves={now.moves.length} data-turn={now.position.turn} data-may-move={String(now.may.move)}>
      <section class="board-column" aria-label={t('board.label')}>
        <Player game={now} color={opposite(orientation)} />
        <Board view={viewOf(now)} orientation={orientation} hand={facts(now.variant).hand} marks={marks} onMove={(usi) => void move(usi)} onStep={step} />
        <Player game={now} color={orientation} />
      </section>
      <GamePanel game={now} />
    </main>
  );
}

function Welcome() {
  const start = facts('shogi').start;
  return (
    <main class="screen play welcome">
      <section class="board-column decoration">
        <Board view={{ sfen: start, mover: null }} orientation="black" hand={facts('shogi').hand} quiet />
      </section>
      <aside class="panel">
        <h1 class="panel-title">{t('play.welcome')}</h1>
        {missing.value && <p class="problem">{t('play.missing')}</p>}
        <NewGameForm />
        <GameList />
      </aside>
    </main>
  );
}

export function PlayScreen() {
  const [id = null, kind, key] = route.value.rest;
  const invited = kind === 'join' && key !== undefined;
  const linked = connection().link.value === 'open';
  useEffect(() => {
    if (!invited) follow(id);
  }, [id, invited]);
  useEffect(() => {
    if (invited && linked && id) void join(id, key);
  }, [id, invited, linked]);
  const now = game.value;
  if (id && now?.game === id) return <Running now={now} />;
  if (id && !missing.value) return <main class="screen"><p class="loading">{t('loading')}</p></main>;
  return <Welcome />;
}
