// The board on the screen: shogiground with our pieces, a keyboard cursor, and words for those who
// listen. It shows what it is given and reports moves; what is legal comes in with the position.

import { Shogiground } from 'shogiground';
import type { Api } from 'shogiground/api';
import type { Key } from 'shogiground/types';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Color } from '../net/contract';
import { settings } from '../settings';
import { t } from '../i18n';
import { announce, positionWords, reasonWords } from './announce';
import { toast } from '../parts/toast';
import { wheelSteps } from '../parts/wheel';
import { attempts } from './attempts';
import { moveCursor, startCursor, type CursorAnswer } from './cursor';
import { positionConfig, shapes, standingConfig, type Mark, type View } from './ground';
import { PromotionQuestion } from './PromotionQuestion';
import { sideOf } from './roles';
import { whyIllegal } from './illegal';
import { parseSfen } from './shogi';

export interface BoardProps {
  view: View;
  orientation: Color;
  hand: readonly string[];
  marks?: readonly Mark[];
  onMove?: (usi: string) => void;
  /** The wheel was turned over the board: back or forward. */
  onStep?: (by: number) => void;
  /** Two boards at once (a preview) need no keyboard of their own. */
  quiet?: boolean;
}

function coordinateConfig(): { enabled: boolean; files: 'numeric'; ranks: 'japanese' | 'engine' } {
  const style = settings.coordinates.value;
  return { enabled: style !== 'none', files: 'numeric', ranks: style === 'japanese' ? 'japanese' : 'engine' };
}

export function Board(props: BoardProps) {
  // Another size or other coordinates is another board: shogiground is made anew.
  const size = props.view.sfen.split('/').length;
  return <BoardOf key={`${size}-${settings.coordinates.value}-${props.orientation}`} {...props} />;
}

function BoardOf({ view, orientation, hand, marks = [], onMove, onStep, quiet }: BoardProps) {
  const boardElement = useRef<HTMLDivElement>(null);
  const topElement = useRef<HTMLDivElement>(null);
  const bottomElement = useRef<HTMLDivElement>(null);
  const ground = useRef<Api | null>(null);
  const latest = useRef({ view, onMove });
  latest.current = { view, onMove };
  const [cursor, setCursor] = useState<string | null>(null);
  const [question, setQuestion] = useState<{ orig: string; dest: string } | null>(null);
  const diagram = useMemo(() => parseSfen(view.sfen), [view.sfen]);
  const size = diagram?.size ?? 9;

  useLayoutEffect(() => {
    if (!boardElement.current || !topElement.current || !bottomElement.current || !diagram) return;
    const api = Shogiground(
      {
        ...standingConfig({
          view: () => latest.current.view, size: () => size, move: (usi) => latest.current.onMove?.(usi),
        }, hand),
        orientation: sideOf(orientation),
        coordinates: coordinateConfig(),
        animation: { enabled: settings.animation.value === 'on', duration: 180 },
      },
      { board: boardElement.current, hands: { top: topElement.current, bottom: bottomElement.current } },
    );
    api.set(positionConfig(view, diagram), true);
    ground.current = api;
    return () => api.destroy();
  }, []);

  const { sfen, last, check, mover, position, premoves, nonce } = view;
  useEffect(() => {
    const api = ground.current;
    if (!api || !diagram) return;
    // A click leaves the square under the pointer marked, though nothing is being moved any more.
    if (!api.state.draggable.current && !api.state.selected && !api.state.selectedPiece) api.state.hovered = undefined;
    api.set(positionConfig(latest.current.view, diagram));
    if (position && (mover === diagram.turn || mover === 'both')) {
      if (!api.playPremove()) api.playPredrop();
    }
  }, [sfen, last, check, mover, position, premoves, nonce]);

  useEffect(() => {
    if (diagram) ground.current?.setAutoShapes(shapes(marks, diagram.turn));
  }, [JSON.stringify(marks), sfen]);

  useEffect(() => {
    ground.current?.setSquareHighlights(cursor ? [{ key: cursor as Key, className: 'cursor' }] : []);
  }, [cursor]);

  // Escape takes back the question whether to promote, wherever the focus is.
  useEffect(() => {
    const dismiss = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && ground.current?.state.promotion.current) {
        ground.current.cancelMoveOrDrop();
        event.preventDefault();
      }
    };
    document.addEventListener('keydown', dismiss);
    return () => document.removeEventListener('keydown', dismiss);
  }, []);

  useEffect(() => {
    const place = boardElement.current?.parentElement;
    if (!place || !onStep) return;
    return wheelSteps(place, onStep);
  }, [onStep]);

  // A move tried with mouse or finger that is not legal is explained, once it is known what was tried.
  const [attempt] = useState(() => attempts((usi) => {
    const { position: known, mover: who } = latest.current.view;
    const shown = parseSfen(latest.current.view.sfen);
    const mine = who === 'both' || who === shown?.turn;
    if (!known || !shown || !mine || known.legal.some((move) => move === usi || move === `${usi}+`)) return;
    toast(reasonWords(whyIllegal(shown, usi)));
  }));

  // The page may have moved under the board since the last click.
  const measure = (): void => {
    const bounds = ground.current?.state.dom.bounds;
    bounds?.board.bounds.clear();
    bounds?.hands.bounds.clear();
    bounds?.hands.pieceBounds.clear();
  };

  const act = (answer: CursorAnswer): void => {
    if (answer.cursor) setCursor(answer.cursor);
    if (answer.say) announce(answer.say);
    if (answer.promotion) setQuestion(answer.promotion);
  };
  const onKey = (event: KeyboardEvent): void => {
    const api = ground.current;
    if (!api || !diagram || question || event.ctrlKey || event.altKey || event.metaKey) return;
    const answer = moveCursor(event.key, cursor ?? startCursor(size, orientation), { api, diagram, view, orientation });
    if (!answer) return;
    event.preventDefault();
    event.stopPropagation();
    act(answer);
  };
  const decide = (promote: boolean | null): void => {
    if (question && promote !== null) onMove?.(question.orig + question.dest + (promote ? '+' : ''));
    ground.current?.selectSquare(null);
    setQuestion(null);
    boardElement.current?.parentElement?.focus();
  };

  const common = { class: `board-area size-${size} set-${settings.pieces.value}`, onPointerDownCapture: (event: PointerEvent) => {
    measure();
    if (ground.current && !quiet) attempt.down(event, ground.current);
  }, onPointerUpCapture: (event: PointerEvent) => {
    if (ground.current && !quiet) attempt.up(event, ground.current);
  } };
  const slots = (
    <>
      <div ref={topElement} />
      <div ref={boardElement} />
      <div ref={bottomElement} />
    </>
  );
  if (quiet) return <div {...common} aria-hidden="true">{slots}</div>;
  return (
    <>
      <div
        {...common}
        role="application"
        tabIndex={0}
        aria-label={t('board.label')}
        aria-describedby="board-keys"
        onKeyDown={onKey}
        onBlur={() => setCursor(null)}
        data-sfen={view.sfen}
      >
        {slots}
        {question && diagram && <PromotionQuestion square={question.dest} piece={diagram.squares.get(question.orig)} decide={decide} />}
      </div>
      <p id="board-keys" class="unseen">{t('board.keys')}</p>
      <p class="unseen" data-position-words>{diagram ? positionWords(diagram, view.handicap) : ''}</p>
    </>
  );
}
