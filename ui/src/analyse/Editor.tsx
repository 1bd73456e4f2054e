// The board editor: any piece on any square, checked by the server before anything is done with it.

import { Shogiground } from 'shogiground';
import type { Api } from 'shogiground/api';
import type { Key } from 'shogiground/types';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Color, Variant } from '../net/contract';
import { facts, hello } from '../hello';
import { say, t } from '../i18n';
import { rest } from '../net/rest';
import { Choice, Select } from '../parts/Choice';
import { Dialog } from '../parts/Dialog';
import { shortcuts } from '../parts/keys';
import { complain } from '../parts/toast';
import { squareAt } from '../board/attempts';
import { pieceOf, promotesTo, unpromotesTo } from '../board/roles';
import { boardSfen, parseSfen, toSfen, type Diagram } from '../board/shogi';
import { settings } from '../settings';
import { NewGameForm } from '../play/NewGameForm';
import { keepDraft, loadDraft, restToDefender, turnedPiece, withHand } from './draft';
import { positionFaults } from './OpenDialog';
import { Hands, Palette, same, type Tool } from './Palette';
import { openStart } from './state';

/** What a click on a square does to it. */
function touchedSquare(diagram: Diagram, key: string, tool: Tool): Diagram {
  const squares = new Map(diagram.squares);
  const there = squares.get(key);
  if (tool === 'hand') return diagram;
  if (tool === 'turn') {
    if (there) squares.set(key, turnedPiece(there));
  } else if (tool === 'erase' || (there && same(there, tool))) squares.delete(key);
  else squares.set(key, tool);
  return { ...diagram, squares };
}

/** The hand under the pointer, if one is. */
function handAt(event: PointerEvent): Color | null {
  const place = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>('[data-editor-hand]');
  return (place?.dataset.editorHand as Color | undefined) ?? null;
}

/** shogiground without rules: clicks put down the chosen piece, drags move what is there. */
function useFreeBoard(diagram: Diagram, tool: Tool, change: (diagram: Diagram) => void) {
  const board = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const latest = useRef({ diagram, tool, change });
  latest.current = { diagram, tool, change };
  const released = useRef<Color | null>(null);
  useEffect(() => {
    const note = (event: PointerEvent): void => void (released.current = handAt(event));
    window.addEventListener('pointerup', note, true);
    return () => window.removeEventListener('pointerup', note, true);
  }, []);
  useLayoutEffect(() => {
    if (!board.current) return;
    const api = Shogiground({
      sfen: { board: boardSfen(diagram), hands: '-' }, scaleDownPieces: false, activeColor: 'both', disableContextMenu: true,
      coordinates: { enabled: true, files: 'numeric', ranks: settings.coordinates.value === 'japanese' ? 'japanese' : 'engine' },
      movable: { free: true, showDests: false }, droppable: { free: true }, premovable: { enabled: false }, drawable: { enabled: false },
      draggable: { deleteOnDropOff: true }, promotion: { promotesTo, unpromotesTo }, highlight: { lastDests: false },
      events: {
        change: () => {
          const squares: Diagram['squares'] = new Map();
          for (const [key, { role, color }] of api.state.pieces) squares.set(key, pieceOf(role, color));
          const before = latest.current.diagram;
          const changed = { ...before, squares };
          // Dragged off the board and onto a hand, a piece is in that hand.
          const gone = squares.size < before.squares.size ? [...before.squares].find(([key]) => !squares.has(key))?.[1] : undefined;
          const hand = released.current;
          latest.current.change(gone && hand && gone.letter !== 'K' ? withHand(changed, hand, gone.letter, 1) : changed);
        },
        select: (key) => {
          const { tool: now, diagram: shown } = latest.current;
          if (now !== 'hand') latest.current.change(touchedSquare(shown, key, now));
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
  /** The square under the pointer. */
  const at = (event: MouseEvent): string | null => (ground.current ? squareAt(event, ground.current) : null);
  return { board, at };
}

/** The position, with the steps that led to it, kept in the tab. */
function useDiagram(first: Variant, sfen: string) {
  const [draft] = useState(loadDraft);
  const [variant, setVariant] = useState(draft?.variant ?? first);
  const start = (game: Variant): Diagram => parseSfen(facts(game).start) as Diagram;
  const [past, setPast] = useState<Diagram[]>(() => [parseSfen(draft?.sfen ?? sfen) ?? start(variant)]);
  const diagram = past[past.length - 1] as Diagram;
  const change = (next: Diagram): void => {
    if (toSfen(next) !== toSfen(diagram)) setPast([...past.slice(-200), next]);
  };
  const undo = past.length > 1 ? () => setPast(past.slice(0, -1)) : null;
  useEffect(() => keepDraft({ variant, sfen: toSfen(diagram) }), [variant, diagram]);
  const choose = (game: Variant): void => {
    setVariant(game);
    setPast([start(game)]);
  };
  return { variant, diagram, change, undo, choose };
}

interface EditorProps { variant: Variant; sfen: string; close: () => void }

export function Editor({ variant: first, sfen, close: leave }: EditorProps) {
  const { variant, diagram, change, undo, choose } = useDiagram(first, sfen);
  const [tool, setTool] = useState<Tool>('hand');
  const [reasons, setReasons] = useState<string[]>([]);
  const [playFrom, setPlayFrom] = useState<string | null>(null);
  const { board, at } = useFreeBoard(diagram, tool, change);
  const text = toSfen({ ...diagram, ply: 1 });
  const close = (): void => {
    keepDraft(null);
    leave();
  };
  const undoing = useRef(undo);
  undoing.current = undo;
  useEffect(() => shortcuts({ 'Ctrl+z': () => undoing.current?.() }), []);
  useEffect(() => setReasons([]), [text]);

  const use = async (purpose: 'game' | 'mate', then: (sfen: string) => void): Promise<void> => {
    try {
      const answer = await rest.check(variant, text, purpose);
      if (answer.ok) then(answer.sfen);
      else setReasons(positionFaults(text, answer.reasons, purpose));
    } catch (cause) {
      complain(cause);
    }
  };
  const handicaps = variant === 'shogi' ? (hello.value?.handicaps ?? []) : [];
  return (
    <main class="screen editor">
      <section class="board-column">
        <div
          class={`board-area size-${diagram.size} set-${settings.pieces.value}`} data-sfen={text}
          onContextMenu={(event) => {
            event.preventDefault();
            const key = at(event);
            if (key) change(touchedSquare(diagram, key, 'turn'));
          }}
        ><div ref={board} key={diagram.size} /></div>
        <Palette
          variant={variant} tool={tool} choose={setTool}
          drop={(piece, event) => {
            const key = at(event);
            const hand = handAt(event);
            if (key) change({ ...diagram, squares: new Map(diagram.squares).set(key, piece) });
            else if (hand && piece.letter !== 'K') change(withHand(diagram, hand, piece.letter, 1));
          }}
        />
      </section>
      <aside class="panel">
        <h1 class="panel-title">{t('editor.title')}</h1>
        <Choice<Variant> label={t('new.game')} value={variant} onChange={choose} options={(hello.value?.variants ?? []).map(({ id, name }) => [id, say(name)] as const)} />
        <Choice<Color> label={t('editor.turn')} value={diagram.turn} onChange={(turn) => change({ ...diagram, turn })} options={[['black', t('side.black')], ['white', t('side.white')]]} />
        {handicaps.length > 0 && <Select label={t('editor.preset')} value="" onChange={(value) => { const preset = parseSfen(value); if (preset) change(preset); }} options={[['', '–'] as const, ...handicaps.map(({ sfen: start, name }) => [start, say(name)] as const)]} />}
        <Hands variant={variant} diagram={diagram} change={change} />
        <div class="actions quiet">
          <button type="button" disabled={!undo} onClick={() => undo?.()} data-undo>{t('editor.undo')}</button>
          <button type="button" onClick={() => change(restToDefender(diagram))} data-rest>{t('editor.rest')}</button>
          <button type="button" onClick={() => change({ ...diagram, squares: new Map(), hands: { black: new Map(), white: new Map() } })} data-empty>{t('editor.empty')}</button>
        </div>
        <label class="field"><span>SFEN</span><input type="text" value={text} spellcheck={false} data-editor-sfen onChange={(event) => { const typed = parseSfen(event.currentTarget.value); if (typed && typed.size === facts(variant).size) change(typed); }} /></label>
        {reasons.length > 0 && <ul class="problem" role="alert">{reasons.map((reason) => <li key={reason}>{reason}</li>)}</ul>}
        <div class="actions">
          <button type="button" class="primary" onClick={() => void use('mate', (found) => { openStart(variant, found); close(); })} data-editor-analyse>{t('editor.analyse')}</button>
          <button type="button" onClick={() => void use('game', setPlayFrom)} data-editor-play>{t('editor.play')}</button>
          <button type="button" onClick={close} data-editor-cancel>{t('cancel')}</button>
        </div>
        <p class="faint">{t('editor.text')}</p>
      </aside>
      {playFrom && <Dialog title={t('editor.play')} close={() => setPlayFrom(null)}><NewGameForm from={{ variant, start: playFrom }} started={() => keepDraft(null)} /></Dialog>}
    </main>
  );
}
