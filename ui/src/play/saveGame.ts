// A game of the visitor's as a file, named by day and players.

import type { Color, Game } from '../net/contract';
import { colorName } from '../board/announce';
import { say, t } from '../i18n';
import { rest } from '../net/rest';
import { dayOf, fileName, saveBlob } from '../parts/save';
import { complain } from '../parts/toast';

function nameOf(game: Game, color: Color): string {
  if (game.you === 'both') return colorName(color);
  return game.you === color ? t('play.you') : say(game.opponent.name);
}

export async function saveGame(game: Game, format: string): Promise<void> {
  try {
    saveBlob(await rest.record(game.game, format), fileName(dayOf(game.created), [nameOf(game, 'black'), nameOf(game, 'white')], format));
  } catch (cause) {
    complain(cause);
  }
}
