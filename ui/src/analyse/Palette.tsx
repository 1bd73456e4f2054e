// The pieces to place, as buttons: a click chooses one for the squares clicked next, a drag puts one down.

import { useRef, useState } from 'preact/hooks';
import type { Color, Variant } from '../net/contract';
import { colorName, pieceName } from '../board/announce';
import { roleOf, sideOf } from '../board/roles';
import type { Diagram, Piece } from '../board/shogi';
import { facts } from '../hello';
import { known, t } from '../i18n';
import { settings } from '../settings';
import { withHand } from './draft';

const KINDS = ['P', 'L', 'N', 'S', 'G', 'B', 'R', 'K'];
export type Tool = Piece | 'erase' | 'hand' | 'turn';

export const same = (a: Tool, b: Tool): boolean => JSON.stringify(a) === JSON.stringify(b);

function pieces(variant: Variant): Piece[] {
  const letters = KINDS.filter((letter) => letter === 'K' || facts(variant).hand.includes(letter));
  return (['black', 'white'] as Color[]).flatMap((color) => [
    ...letters.map((letter) => ({ letter, promoted: false, color })),
    ...letters.filter((letter) => !'GK'.includes(letter)).map((letter) => ({ letter, promoted: true, color })),
  ]);
}

function Picture({ piece }: { piece: Piece }) {
  return <i class={`piece-picture ${roleOf(piece.letter, piece.promoted)} ${sideOf(piece.color)} ${piece.color === 'white' ? 'turned' : ''}`} />;
}

interface PaletteProps { variant: Variant; tool: Tool; choose: (tool: Tool) => void; drop: (piece: Piece, event: PointerEvent) => void }

export function Palette({ variant, tool, choose, drop }: PaletteProps) {
  const [dragged, setDragged] = useState<Piece | null>(null);
  const floating = useRef<HTMLDivElement>(null);
  const from = useRef<{ x: number; y: number; piece: Piece } | null>(null);
  const moved = useRef(false);
  const follow = (event: PointerEvent): void => {
    const begun = from.current;
    if (!begun) return;
    if (!dragged && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > 6) setDragged(begun.piece);
    floating.current?.style.setProperty('translate', `${event.clientX}px ${event.clientY}px`);
  };
  const end = (event: PointerEvent): void => {
    const begun = from.current;
    from.current = null;
    // The click that follows a drag chooses nothing; one by keyboard (which has no detail) always does.
    moved.current = dragged !== null;
    setDragged(null);
    if (begun && dragged && event.type === 'pointerup') drop(begun.piece, event);
  };
  const tools: [Exclude<Tool, Piece>, string, string][] = [['hand', '✥', t('editor.move')], ['turn', '↻', t('editor.turnpiece')], ['erase', '⌫', t('editor.erase')]];
  return (
    <div class={`palette set-${settings.pieces.value}`} role="group" aria-label={t('editor.pieces')}>
      <div class="palette-tools">
        {tools.map(([name, sign, words]) => (
          <button key={name} type="button" class={tool === name ? 'chosen' : ''} aria-pressed={tool === name} onClick={() => choose(name)} title={words} data-tool={name}><span aria-hidden="true">{sign}</span><span class="tool-words">{words}</span></button>
        ))}
      </div>
      <div class={`palette-pieces size-${facts(variant).size}`}>{pieces(variant).map((piece) => (
        <button
          key={`${piece.color}${piece.promoted}${piece.letter}`} type="button" class={same(tool, piece) ? 'chosen' : ''} aria-pressed={same(tool, piece)}
          aria-label={t('square.piece', { side: colorName(piece.color), piece: pieceName(piece) })} onClick={(event) => { if (!moved.current || event.detail === 0) choose(piece); }}
          data-piece={`${piece.color} ${piece.promoted ? '+' : ''}${piece.letter}`}
          onPointerDown={(event) => {
            moved.current = false;
            if (event.button !== 0) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            from.current = { x: event.clientX, y: event.clientY, piece };
          }}
          onPointerMove={follow} onPointerUp={end} onPointerCancel={end}
        ><Picture piece={piece} /></button>
      ))}</div>
      {dragged && <div class="dragged-piece" ref={floating} aria-hidden="true"><Picture piece={dragged} /></div>}
    </div>
  );
}

/** Both hands: a click on a piece adds one, a right click or the minus takes one away. */
export function Hands({ variant, diagram, change }: { variant: Variant; diagram: Diagram; change: (diagram: Diagram) => void }) {
  return (
    <div class={`editor-hands set-${settings.pieces.value}`}>
      {(['black', 'white'] as Color[]).map((color) => (
        <fieldset key={color} data-editor-hand={color}>
          <legend>{t('editor.hand', { side: colorName(color) })}</legend>
          {facts(variant).hand.map((letter) => {
            const count = diagram.hands[color].get(letter) ?? 0;
            const name = known('piece', letter);
            return (
              <div key={letter} class={`held ${count === 0 ? 'none' : ''}`}>
                <button
                  type="button" class="plain" aria-label={t('editor.more', { piece: name, n: count })} title={t('editor.more', { piece: name, n: count })} data-more={`${color} ${letter}`}
                  onClick={() => change(withHand(diagram, color, letter, 1))}
                  onContextMenu={(event) => {
                    event.preventDefault();
                    change(withHand(diagram, color, letter, -1));
                  }}
                ><Picture piece={{ letter, promoted: false, color }} /></button>
                <b aria-hidden="true">{count}</b>
                <button type="button" class="plain" disabled={count === 0} aria-label={t('editor.fewer', { piece: name })} title={t('editor.fewer', { piece: name })} onClick={() => change(withHand(diagram, color, letter, -1))} data-fewer={`${color} ${letter}`}>−</button>
              </div>
            );
          })}
        </fieldset>
      ))}
    </div>
  );
}
