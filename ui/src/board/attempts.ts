// What a pointer tried to move: two clicks, or a drag. The board takes or drops the attempt by
// itself and says nothing; this finds out which move was meant.

import type { Api } from 'shogiground/api';
import type { Key } from 'shogiground/types';
import { letterOf } from './roles';
import { square } from './shogi';

interface Attempts { down: (event: PointerEvent, api: Api) => void; up: (event: PointerEvent, api: Api) => void }
/** A square, or a letter with `*`: what a move begins with. */
type Origin = string | null;

/** The square under the pointer, none outside the board. */
export function squareAt(event: { clientX: number; clientY: number }, api: Api): string | null {
  const place = api.state.dom.elements.board?.squares?.getBoundingClientRect();
  const size = api.state.dimensions.files;
  if (!place || place.width === 0) return null;
  const column = Math.floor(((event.clientX - place.left) / place.width) * size);
  const row = Math.floor(((event.clientY - place.top) / place.height) * size);
  if (column < 0 || row < 0 || column >= size || row >= size) return null;
  return api.state.orientation === 'sente' ? square(size - column, row + 1) : square(column + 1, size - row);
}

function own(key: string, api: Api): boolean {
  return api.state.pieces.get(key as Key)?.color === api.state.turnColor;
}

export function attempts(tried: (usi: string) => void): Attempts {
  let selected: Origin = null;
  let pressed: Origin = null;
  return {
    down(event, api) {
      const { selected: here, selectedPiece } = api.state;
      selected = here ?? (selectedPiece ? `${letterOf(selectedPiece.role)}*` : null);
      const key = event.button === 0 && !api.state.promotion.current ? squareAt(event, api) : null;
      const held = (event.target as Element).closest?.('sg-hp-wrap[data-nb]:not([data-nb="0"]) piece') as (Element & { sgRole?: string }) | null;
      pressed = key ?? (held?.sgRole ? `${letterOf(held.sgRole)}*` : null);
      if (event.button !== 0) selected = null;
    },
    up(event, api) {
      const target = squareAt(event, api);
      const from = pressed;
      const chosen = selected;
      pressed = null;
      selected = null;
      if (!target || !from) return;
      const dragged = from !== target;
      // A drag begins with a piece of one's own; a second click ends where it began.
      if (dragged && (from.endsWith('*') || own(from, api))) tried(from + target);
      else if (!dragged && chosen && chosen !== target && !own(target, api)) tried(chosen + target);
    },
  };
}
