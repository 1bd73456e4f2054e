// "Promote?" for those who move by keyboard; the mouse has shogiground's own choice on the board.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../i18n';
import { pieceName, squareName } from './announce';
import type { Piece } from './shogi';

interface Props { square: string; piece: Piece | undefined; decide: (promote: boolean | null) => void }

export function PromotionQuestion({ square, piece, decide }: Props) {
  const first = useRef<HTMLButtonElement>(null);
  // Before it is drawn: the next key is for the question.
  useLayoutEffect(() => first.current?.focus(), []);
  const promoted = piece ? pieceName({ ...piece, promoted: true }) : '';
  const plain = piece ? pieceName(piece) : '';
  return (
    <div
      class="promotion-question" role="dialog" aria-modal="true" aria-label={t('promotion.title', { square: squareName(square) })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') decide(null);
        event.stopPropagation();
      }}
    >
      <button ref={first} type="button" class="primary" onClick={() => decide(true)}>{t('promotion.yes', { piece: promoted })}</button>
      <button type="button" onClick={() => decide(false)}>{t('promotion.no', { piece: plain })}</button>
    </div>
  );
}
