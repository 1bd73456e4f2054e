// Analysis: a record on the board, engines beside it, the whole game examined below.

import { useEffect, useRef, useState } from 'preact/hooks';
import './analyse.css';
import type { Color } from '../net/contract';
import { Board } from '../board/Board';
import { colorName } from '../board/announce';
import type { Mark, View } from '../board/ground';
import { follow as followLine, isHandicap, opposite } from '../board/shogi';
import { facts } from '../hello';
import { t } from '../i18n';
import { rest } from '../net/rest';
import { connection } from '../net/socket';
import { serverless } from '../net/transport';
import { incoming } from '../parts/intake';
import { focusEntry, shortcuts, stepKeys } from '../parts/keys';
import { MoveEntry } from '../parts/MoveEntry';
import { pacer } from '../parts/pacer';
import { Splitter } from '../parts/Splitter';
import { swipeSteps } from '../parts/swipe';
import { complain, toast } from '../parts/toast';
import { go, route, routeHash } from '../route';
import { bookMarks } from './book';
import { BookPanel } from './BookPanel';
import { keepDraft, loadDraft } from './draft';
import { Editor } from './Editor';
import { answers, follow, forgetAnswers, listenToEngines, preview, running, startSlot, stopSlot } from './engine';
import { EnginePanel } from './EnginePanel';
import { ExportDialog } from './ExportDialog';
import { HeadersPanel } from './HeadersPanel';
import { listenToMates, mate, startMate } from './mate';
import { MatePanel } from './MatePanel';
import { OpenDialog } from './OpenDialog';
import { forgetReview, keepReview, listenToReviews, restoreReview, review } from './review';
import { ReviewPanel } from './ReviewPanel';
import { StudiesScreen } from './StudiesScreen';
import { StudyBar } from './StudyBar';
import { askPosition, change, current, keep, keeper, listenToOthers, moves, node, nonce, opened, openShared, openSource, openStudy, orientation, playMove, position, promoteHere, redo, removeHere, restore, step, stepAside, study, undo } from './state';
import { readShared } from './share';
import { TreeView } from './TreeView';
import { withChange } from './tree';
import { WinBar } from './WinBar';

function view(): View {
  const shown = preview.value;
  const { sfen, move, check } = node.value;
  const handicap = isHandicap(study.value.start);
  if (shown) return { sfen: followLine(sfen, shown), last: shown[shown.length - 1], mover: null, nonce: nonce.value, handicap };
  const known = position.value;
  return {
    sfen, last: move, check: (known?.check ?? check) ? (known?.king ?? null) : null, mover: 'both', position: known, nonce: nonce.value, handicap,
  };
}

function marks(): Mark[] {
  if (preview.value) return [];
  const lines = running.value.a ? (answers.value.a?.lines ?? []) : [];
  const arrows = lines.slice(0, 3).flatMap(({ pv, rank }): Mark[] => (pv[0] ? [{ move: pv[0], brush: rank === 1 ? 'best' : 'second' }] : []));
  const second = running.value.b ? answers.value.b?.lines?.[0]?.pv[0] : undefined;
  if (second) arrows.push({ move: second, brush: 'better' });
  return arrows.length ? arrows : bookMarks();
}

/** Records named in the address: a game of the visitor's, the server's or a match's. */
async function openRoute(rest_: string[]): Promise<void> {
  const [kind, id, number] = rest_;
  if (!kind || !id) return;
  try {
    if (kind === 'line' || kind === 'position') {
      const shared = readShared(rest_);
      if (shared) await openShared(shared);
      else toast(t('share.broken'), true);
    }
    if (kind === 'game') {
      const [tree, { you }] = await Promise.all([rest.gameTree(id), rest.game(id)]);
      await openSource(`game:${id}`, tree);
      // As it was played.
      orientation.value = you === 'white' ? 'white' : 'black';
    }
    if (kind === 'study') return await openStudy(id);
    if (kind === 'server') await openSource(`server:${id}`, await rest.serverTree(id));
    else if (kind === 'match' && number) await openSource(`match:${id}/${number}`, await rest.matchTree(id, number));
    go(routeHash('analyse'), true);
  } catch (cause) {
    complain(cause);
  }
}

function Comment() {
  const text = (node.value.comments ?? []).join('\n');
  return (
    <label class="field">
      <span class="unseen">{t('tree.comment')}</span>
      <textarea
        class="comment-box" rows={1} placeholder={t('tree.comment')} value={text}
        onChange={(event) => {
          const comments = event.currentTarget.value.split('\n').filter((row) => row.trim() !== '');
          change(withChange(study.value, current.value, { comments }));
        }}
      />
    </label>
  );
}

function Toolbar({ open }: { open: (what: 'open' | 'export' | 'editor') => void }) {
  return (
    <div class="toolbar">
      <a class="button" href={routeHash('analyse', 'studies')} data-studies>{t('studies.title')}</a>
      <button type="button" onClick={() => open('open')} data-open>{t('tool.open')}</button>
      <button type="button" onClick={() => { keepDraft(null); open('editor'); }} data-edit>{t('tool.edit')}</button>
      <button type="button" onClick={() => open('export')} data-export-open>{t('tool.export')}</button>
      <button type="button" onClick={startMate} data-mate-start>{t('tool.mate')}</button>
    </div>
  );
}

function TreeTools() {
  const button = (by: number, sign: string, name: string) => <button type="button" aria-label={name} title={name} onClick={() => step(by)} data-step={by}>{sign}</button>;
  return (
    <div class="steps">
      {button(-9999, '|◀', t('step.first'))}{button(-1, '◀', t('step.back'))}{button(1, '▶', t('step.forward'))}{button(9999, '▶|', t('step.last'))}
      <button type="button" aria-label={t('flip')} title={t('flip')} onClick={() => (orientation.value = opposite(orientation.value))}>⇅</button>
      <button type="button" aria-label={t('tree.promote')} title={t('tree.promote')} disabled={current.value === 0} onClick={promoteHere}>⤒</button>
      <button type="button" aria-label={t('tree.remove')} title={t('tree.remove')} disabled={current.value === 0} onClick={removeHere} data-remove>✕</button>
    </div>
  );
}

/** Who plays a side, beside that side. */
function Name({ color }: { color: Color }) {
  const name = study.value[color];
  if (!study.value.black && !study.value.white) return null;
  return <p class={`names ${color}`} data-name={color}><span aria-hidden="true">{color === 'black' ? '☗' : '☖'}</span> {name ?? '?'} <span class="faint">{colorName(color, isHandicap(study.value.start))}</span></p>;
}

/** As in the style sheet: where everything is larger. */
const LARGE = '(min-width: 2200px) and (min-height: 1200px)';

type Asked = 'open' | 'export' | 'editor' | null;

function letters(open: (what: Asked) => void): () => void {
  return shortcuts({
    f: () => (orientation.value = opposite(orientation.value)),
    m: focusEntry,
    e: () => (running.value.a ? stopSlot('a') : startSlot('a')),
    o: () => open('open'),
    'Ctrl+s': () => open('export'),
    x: () => { if (current.value !== 0) promoteHere(); },
    'Ctrl+z': undo,
    'Ctrl+y': redo,
  });
}

function useWork(open: (what: Asked) => void): void {
  useEffect(() => {
    restore();
    restoreReview();
    const ends = [listenToEngines(), listenToReviews(), listenToMates(), listenToOthers(), stepKeys(step), letters(open), connection().onOpen(() => void askPosition())];
    const aside = (event: KeyboardEvent): void => {
      const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
      if (by === 0 || (event.target as HTMLElement).closest('input, select, textarea, dialog, [role="application"], .tree, .panel')) return;
      event.preventDefault();
      stepAside(by);
    };
    // As the page is left, or hidden on a phone (which may end it there), what waits is saved.
    const leave = (): void => {
      if (document.visibilityState === 'hidden') void keeper.value.flush(true);
    };
    window.addEventListener('keydown', aside);
    document.addEventListener('visibilitychange', leave);
    return () => {
      window.removeEventListener('keydown', aside);
      document.removeEventListener('visibilitychange', leave);
      void keeper.value.flush();
      for (const end of ends) end();
    };
  }, []);
  // Once the connection is there: a shared game's moves are asked for over it.
  const linked = connection().link.value === 'open';
  useEffect(() => {
    if (linked) void openRoute(route.value.rest);
  }, [linked, route.value.rest.join('/')]);
  const seen = `${opened.value}|${moves.value.join(' ')}`;
  useEffect(() => {
    settle(() => {
      void askPosition();
      follow();
    });
  }, [seen]);
  useEffect(() => {
    if (opened.value !== shownRecord) {
      const first = shownRecord === 0;
      shownRecord = opened.value;
      if (first) return;
      forgetReview();
      forgetAnswers();
      mate.value = null;
    }
  }, [opened.value]);
  useEffect(keep, [study.value, current.value, keeper.value.details.value]);
  useEffect(keepReview, [review.value.state]);
}

// Stepping fast through a game asks about the positions one stops at, not about every one.
const settle = pacer(120);
// Which record the review on the screen belongs to; leaving the screen and coming back keeps it.
let shownRecord = 0;

/** The studies, or the one that is on the board. */
export function AnalyseScreen() {
  return route.value.rest[0] === 'studies' ? <StudiesScreen /> : <Analysis />;
}

function Analysis() {
  // A position half set up is gone on with.
  const [asked, setAsked] = useState<Asked>(() => (loadDraft() ? 'editor' : null));
  useWork(setAsked);
  const place = useRef<HTMLElement>(null);
  const shown = study.value.start !== '' && asked !== 'editor';
  useEffect(() => (shown && place.current ? swipeSteps(place.current, step) : undefined), [shown]);
  // What is pasted or dropped while a position is set up is shown; the position is gone on with after a reload.
  useEffect(() => {
    if (incoming.value !== null && asked === 'editor') setAsked(null);
  }, [incoming.value, asked]);
  const close = (): void => setAsked(null);
  if (study.value.start === '') return <main class="screen"><p class="loading">{t('loading')}</p></main>;
  if (asked === 'editor') return <Editor variant={study.value.variant} sfen={node.value.sfen} close={close} />;
  const { variant } = study.value;
  return (
    <main class="screen analyse" ref={place} data-ply={moves.value.length} data-ready={String(position.value !== null)}>
      <h1 class="unseen">{t('nav.analyse')}</h1>
      <section class="board-column" aria-label={t('board.label')}>
        <Name color={opposite(orientation.value)} />
        <div class="with-bar">
          <WinBar />
          <Board view={view()} orientation={orientation.value} hand={facts(variant).hand} marks={marks()} onMove={(usi) => void playMove(usi)} onStep={step} />
        </div>
        <Name color={orientation.value} />
      </section>
      <Splitter name="panel" axis="x" first={matchMedia(LARGE).matches ? 560 : 460} least={320} most={900} label={t('pane.panel')} />
      <aside class="panel">
        <StudyBar />
        <Toolbar open={setAsked} />
        <EnginePanel />
        <Splitter name="lines" axis="y" first={150} least={60} most={600} label={t('pane.lines')} />
        <MatePanel />
        <TreeView />
        <Splitter name="tree" axis="y" first={240} least={90} most={900} label={t('pane.moves')} />
        <TreeTools />
        <MoveEntry position={position.value} enabled={position.value !== null} onMove={(usi) => void playMove(usi)} />
        <Comment />
        {!serverless && <BookPanel />}
        <ReviewPanel />
        <HeadersPanel />
      </aside>
      {asked === 'open' && <OpenDialog close={close} />}
      {incoming.value !== null && <OpenDialog body={incoming.value} close={() => (incoming.value = null)} />}
      {asked === 'export' && <ExportDialog close={close} />}
    </main>
  );
}
