// The board editor: any piece on any square, checked by the server before anything is done with it.

import { Shogiground } from 'shogiground';
import type { Api } from 'shogiground/api';
import type { Key } from 'shogiground/types';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Color, Variant } from '../net/contract';
import { facts, hello } from '../hello';
import { known, say, t } from '../i18n';
import { rest } from '../net/rest';
import { Choice, Select } from '../parts/Choice';
import { complain } from '../parts/toast';
import { colorName } from '../board/announce';
import { pieceOf, promotesTo, roleOf, sideOf, unpromotesTo } from '../board/roles';
import { boardSfen, parseSfen, toSfen, type Diagram, type Piece } from '../board/shogi';
import { settings } from '../settings';
import { start as startGame } from '../play/state';
import { openStart } from './state';

const KINDS = ['P', 'L', 'N', 'S', 'G', 'B', 'R', 'K'];
type Tool = Piece | 'erase' | 'hand';

function palette(variant: Variant): Piece[] {
  const letters = KINDS.filter((letter) => letter === 'K' || facts(variant).hand.includes(letter));
  return (['black', 'white'] as Color[]).flatMap((color) => [
    ...letters.map((letter) => ({ letter, promoted: false, color })),
    ...letters.filter((letter) => !'GK'.includes(letter)).map((letter) => ({ letter, promoted: true, color })),
  ]);
}

const same = (a: Tool, b: Tool): boolean => JSON.stringify(a) === JSON.stringify(b);

function Palette({ variant, tool, choose }: { variant: Variant; tool: Tool; choose: (tool: Tool) => void }) {
  return (
    <div class={`palette set-${settings.pieces.value}`} role="group" aria-label={t('editor.pieces')}>
      <button type="button" class={tool === 'hand' ? 'chosen' : ''} aria-pressed={tool === 'hand'} onClick={() => choose('hand')} title={t('editor.move')} aria-label={t('editor.move')}>✥</button>
      <button type="button" class={tool === 'erase' ? 'chosen' : ''} aria-pressed={tool === 'erase'} onClick={() => choose('erase')} title={t('editor.erase')} aria-label={t('editor.erase')}>⌫</button>
      {palette(variant).map((piece) => (
        <button
          key={`${piece.color}${piece.promoted}${piece.letter}`} type="button" class={same(tool, piece) ? 'chosen' : ''} aria-pressed={same(tool, piece)}
          aria-label={t('square.piece', { side: colorName(piece.color), piece: known('piece', `${piece.promoted ? '+' : ''}${piece.letter}`) })} onClick={() => choose(piece)}
        ><i class={`piece-picture ${roleOf(piece.letter, piece.promoted)} ${sideOf(piece.color)} ${piece.color === 'white' ? 'turned' : ''}`} /></button>
      ))}
    </div>
  );
}

function Hands({ variant, diagram, change }: { variant: Variant; diagram: Diagram; change: (diagram: Diagram) => void }) {
  return (
    <div class="editor-hands">
      {(['black', 'white'] as Color[]).map((color) => (
        <fieldset key={color}>
          <legend>{t('editor.hand', { side: colorName(color) })}</legend>
          {facts(variant).hand.map((letter) => (
            <label key={letter}>
              <span>{known('piece', letter)}</span>
              <input
                type="number" min={0} max={18} value={diagram.hands[color].get(letter) ?? 0}
                onInput={(event) => {
                  const hands = { black: new Map(diagram.hands.black), white: new Map(diagram.hands.white) };
                  hands[color].set(letter, Math.min(18, Math.max(0, Number(event.currentTarget.value) || 0)));
                  change({ ...diagram, hands });
                }}
              />
            </label>
          ))}
        </fieldset>
      ))}
    </div>
  );
}

/** shogiground without rules: clicks put down the chosen piece, drags move what is there. */
function useFreeBoard(diagram: Diagram, tool: Tool, change: (diagram: Diagram) => void) {
  const board = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const latest = useRef({ diagram, tool, change });
  latest.current = { diagram, tool, change };
  useLayoutEffect(() => {
    if (!board.current) return;
    const api = Shogiground({
      sfen: { board: boardSfen(diagram), hands: '-' }, scaleDownPieces: false, activeColor: 'both',
      coordinates: { enabled: true, files: 'numeric', ranks: settings.coordinates.value === 'japanese' ? 'japanese' : 'engine' },
      movable: { free: true, showDests: false }, droppable: { free: true }, premovable: { enabled: false }, drawable: { enabled: false },
      draggable: { deleteOnDropOff: true }, promotion: { promotesTo, unpromotesTo }, highlight: { lastDests: false },
      events: {
        change: () => {
          const squares: Diagram['squares'] = new Map();
          for (const [key, { role, color }] of api.state.pieces) squares.set(key, pieceOf(role, color));
          latest.current.change({ ...latest.current.diagram, squares });
        },
        select: (key) => {
          const { tool: now, diagram: shown } = latest.current;
          if (now === 'hand') return;
          const squares = new Map(shown.squares);
          const there = squares.get(key);
          if (now === 'erase' || (there && same(there, now))) squares.delete(key);
          else squares.set(key, now);
          latest.current.change({ ...shown, squares });
        },
      },
    }, { board: board.current });
    ground.current = api;
    return () => api.destroy();
  }, [diagram.size]);
  useEffect(() => {
    ground.current?.set({ sfen: { board: boardSfen(diagram) }, lastDests: undefined as unknown as Key[] }, true);
    if (latest.current.tool !== 'hand') ground.current?.selectSquare(null);
  }, [diagram]);
  useEffect(() => {
    ground.current?.set({ draggable: { enabled: tool === 'hand' }, selectable: { enabled: tool === 'hand' } });
  }, [tool]);
  return board;
}

export function Editor({ variant: first, sfen, close }: { variant: Variant; sfen: string; close: () => void }) {
  const [variant, setVariant] = useState(first);
  const read = (text: string): Diagram => parseSfen(text) ?? (parseSfen(facts(variant).start) as Diagram);
  const [diagram, setDiagram] = useState(() => read(sfen));
  const [tool, setTool] = useState<Tool>('hand');
  const [reasons, setReasons] = useState<string[]>([]);
  const board = useFreeBoard(diagram, tool, setDiagram);
  const text = toSfen({ ...diagram, ply: 1 });

  const use = async (purpose: 'game' | 'mate', then: (sfen: string) => void): Promise<void> => {
    try {
      const answer = await rest.check(variant, text, purpose);
      if (answer.ok) then(answer.sfen);
      else setReasons(answer.reasons);
    } catch (cause) {
      complain(cause);
    }
  };
  const empty = (): void => setDiagram({ ...diagram, squares: new Map(), hands: { black: new Map(), white: new Map() } });
  const handicaps = variant === 'shogi' ? (hello.value?.handicaps ?? []) : [];
  return (
    <main class="screen editor">
      <section class="board-column">
        <div class={`board-area size-${diagram.size} set-${settings.pieces.value}`} data-sfen={text}><div ref={board} key={diagram.size} /></div>
        <Palette variant={variant} tool={tool} choose={setTool} />
      </section>
      <aside class="panel">
        <h1 class="panel-title">{t('editor.title')}</h1>
        <Choice<Variant> label={t('new.game')} value={variant} onChange={(value) => { setVariant(value); setDiagram(parseSfen(facts(value).start) as Diagram); }} options={(hello.value?.variants ?? []).map(({ id, name }) => [id, say(name)] as const)} />
        <Choice<Color> label={t('editor.turn')} value={diagram.turn} onChange={(turn) => setDiagram({ ...diagram, turn })} options={[['black', t('side.black')], ['white', t('side.white')]]} />
        {handicaps.length > 0 && <Select label={t('editor.preset')} value="" onChange={(value) => value && setDiagram(read(value))} options={[['', '–'] as const, ...handicaps.map(({ sfen: start, name }) => [start, say(name)] as const)]} />}
        <Hands variant={variant} diagram={diagram} change={setDiagram} />
        <label class="field"><span>SFEN</span><input type="text" value={text} spellcheck={false} data-editor-sfen onChange={(event) => { const typed = parseSfen(event.currentTarget.value); if (typed && typed.size === facts(variant).size) setDiagram(typed); }} /></label>
        {reasons.length > 0 && <ul class="problem" role="alert">{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
        <div class="actions">
          <button type="button" class="primary" onClick={() => void use('mate', (found) => { openStart(variant, found); close(); })} data-editor-analyse>{t('editor.analyse')}</button>
          <button type="button" onClick={() => void use('game', (found) => void startGame({ variant, start: found, side: diagram.turn, opponent: { level: 3 }, clock: null }))}>{t('editor.play')}</button>
          <button type="button" onClick={empty}>{t('editor.empty')}</button>
          <button type="button" onClick={close}>{t('cancel')}</button>
        </div>
        <p class="faint">{t('editor.text')}</p>
      </aside>
    </main>
  );
}

