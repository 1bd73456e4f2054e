// Running games on small boards, each the way to its full one, and all of them on one screen.

import { Board } from '../board/Board';
import { facts } from '../hello';
import { t } from '../i18n';
import { clockText } from '../parts/format';
import type { Color } from '../net/contract';
import { routeHash } from '../route';
import { variantOf, type LiveGame } from './live';

function SmallGame({ game }: { game: LiveGame }) {
  const player = (color: Color) => {
    const left = game.left[color];
    return <span class="small-player"><span>{color === 'black' ? '☗' : '☖'} {game.names[color]}</span> <small>{left === null ? '' : clockText(left)}</small></span>;
  };
  return (
    <li class="small-game" data-small={game.key}>
      <a href={routeHash('watch', 'live', game.key)}>
        {player('white')}
        <Board view={{ sfen: game.sfen, last: game.last, mover: null }} orientation="black" hand={facts(variantOf(game.sfen)).hand} quiet />
        {player('black')}
        <span class="faint">{game.event} · {t('play.plies', { n: game.moves })}</span>
      </a>
    </li>
  );
}

export function SmallGames({ games }: { games: readonly LiveGame[] }) {
  return (
    <>
      <ul class="small-games">{games.map((game) => <SmallGame key={game.key} game={game} />)}</ul>
      {games.length > 1 && <p><a class="button" href={routeHash('watch', 'live', 'all')} data-live-all>{t('live.all')}</a></p>}
    </>
  );
}
