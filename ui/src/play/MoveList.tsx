// The moves so far; a click shows the position after one.

import { useEffect, useRef } from 'preact/hooks';
import type { Game } from '../net/contract';
import { notated, t } from '../i18n';
import { spentText } from '../parts/format';
import { shownPly } from './state';

export function MoveList({ game }: { game: Game }) {
  const list = useRef<HTMLOListElement>(null);
  const shown = shownPly.value ?? game.moves.length;
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current) list.current.scrollTop = current.offsetTop - list.current.clientHeight / 2;
  }, [shown, game.moves.length]);
  if (game.moves.length === 0) return <p class="faint">{t('play.nomoves')}</p>;
  return (
    <ol class="moves" ref={list} aria-label={t('play.moves')} tabIndex={0}>
      {game.moves.map((move, index) => (
        <li key={index}>
          <button
            type="button" class="move" aria-current={index + 1 === shown ? 'true' : undefined}
            onClick={() => (shownPly.value = index + 1 === game.moves.length ? null : index + 1)}
          >
            <span class="ply">{index + 1}</span>
            <span class="text">{notated(move)}</span>
            <span class="spent">{spentText(move.ms)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
