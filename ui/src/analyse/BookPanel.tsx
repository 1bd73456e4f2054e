// The book panel: every move of the opening book here, with value, games and what the book would do; and the book's own tools.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { BookRow, OwnGame } from '../net/contract';
import { known, notated, say, t } from '../i18n';
import { compact, percent, scoreText } from '../parts/format';
import { Dialog } from '../parts/Dialog';
import { pacer } from '../parts/pacer';
import { complain } from '../parts/toast';
import { saveBlob } from '../parts/save';
import { rest } from '../net/rest';
import { NewGameForm } from '../play/NewGameForm';
import { routeHash } from '../route';
import { book, books, choices, choose, create, discard, edit, grow, growth, isGrowing, listenToGrowth, loadBooks, look, open, page, read, remove, rename, setOpen, stopGrowing, travel } from './book';
import { preview } from './engine';
import { addLine, current, goTo, moves, node, study } from './state';

async function play(line: readonly string[]): Promise<void> {
  try {
    preview.value = null;
    goTo(await addLine(current.value, line));
  } catch (cause) {
    complain(cause);
  }
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + t('sentence.end');

/** How the games with a move went for whoever played it. */
function Games({ row }: { row: BookRow }) {
  if (row.count === 0) return <td class="faint">–</td>;
  const known = row.wins + row.draws > 0;
  return (
    <td>
      {compact(row.count)}
      {known && <span class="faint"> {percent((row.wins + row.draws / 2) / row.count)}</span>}
    </td>
  );
}

function EditForm({ row, done }: { row: BookRow; done: () => void }) {
  const [value, setValue] = useState(row.score?.cp === undefined ? '' : String(row.score.cp));
  const [comment, setComment] = useState(row.comment ?? '');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const typed = value.trim() === '' ? null : Math.round(Number(value));
    // A mate's value has no number to type: left alone, it stays.
    const untouched = row.score?.cp === undefined ? typed === null : typed === row.score.cp;
    if (await edit({ move: row.move, comment, ...(!untouched && { value: typed }) })) done();
  };
  return (
    <form class="book-edit" onSubmit={(event) => void submit(event)}>
      <label class="field"><span>{t('book.value')}</span><input type="number" min={-31999} max={31999} step={1} value={value} onInput={(event) => setValue(event.currentTarget.value)} data-book-value /></label>
      <label class="field wide-field"><span>{t('book.comment')}</span><input type="text" maxLength={2000} value={comment} onInput={(event) => setComment(event.currentTarget.value)} data-book-comment /></label>
      <div class="actions quiet">
        <button type="submit" class="primary" data-book-save>{t('study.save')}</button>
        <button type="button" onClick={() => void edit({ move: row.move, first: true }).then(done)} data-book-first>{t('book.first')}</button>
        <button type="button" onClick={() => void remove(row.move, notated(row))} data-book-remove>{t('book.remove')}</button>
        <button type="button" onClick={done}>{t('cancel')}</button>
      </div>
    </form>
  );
}

function Row({ row, own }: { row: BookRow; own: boolean }) {
  const [editing, setEditing] = useState(false);
  const remarks = [row.refused && t('book.refused', { why: say(row.refused) }), row.remark && sentence(say(row.remark)), row.comment].filter((text) => text);
  const show = (): void => void (preview.value = row.line.pv);
  const hide = (): void => void (preview.value = null);
  return (
    <>
      <tr class={row.refused ? 'refused' : ''} data-book-move={row.move}>
        <th scope="row">
          <button type="button" class="plain book-move" title={notated(row.line).join(' ')} onMouseEnter={show} onMouseLeave={hide} onFocus={show} onBlur={hide} onClick={() => void play([row.move])}>{notated(row)}</button>
        </th>
        <td>{row.score ? <>{scoreText(row.score)}{row.winrate !== null && <span class="faint"> {percent(row.winrate ?? 0)}</span>}</> : <span class="faint">–</span>}</td>
        <Games row={row} />
        <td>{row.refused ? <span class="faint">–</span> : percent(row.chance)}</td>
        {own && <td><button type="button" class="plain small" aria-label={t('book.edit', { move: notated(row) })} title={t('book.edit', { move: notated(row) })} aria-expanded={editing} onClick={() => setEditing(!editing)} data-book-edit>✎</button></td>}
      </tr>
      {(remarks.length > 0 || editing) && (
        <tr class="book-more"><td colSpan={own ? 5 : 4}>
          {remarks.map((text) => <p key={text} class="faint">{text}</p>)}
          {editing && <EditForm row={row} done={() => setEditing(false)} />}
        </td></tr>
      )}
    </>
  );
}

/** What the board offers to put into the book: moves tried from here, and the way here. */
function Add() {
  const listed = new Set((page.value?.moves ?? []).map(({ move }) => move));
  const tried = node.value.children.map((id) => study.value.nodes[id]).filter((child) => child?.move && !listed.has(child.move));
  return (
    <div class="actions quiet" data-book-add>
      {tried.slice(0, 4).map((child) => {
        const words = child?.ja && child.en ? notated({ ja: child.ja, en: child.en }) : (child?.move ?? '');
        return <button key={child?.move} type="button" onClick={() => void edit({ move: child?.move ?? '' })} data-book-add-move={child?.move}>{t('book.add', { move: words })}</button>;
      })}
      <button type="button" disabled={moves.value.length === 0} title={t('book.addtext')} onClick={() => void edit({ line: true })} data-book-line>{t('book.line')}</button>
    </div>
  );
}

const EFFORTS = ['quick', 'normal', 'deep'] as const;

function Grow() {
  const [positions, setPositions] = useState(30);
  const [effort, setEffort] = useState<(typeof EFFORTS)[number]>('quick');
  const now = growth.value;
  if (isGrowing() && now) {
    return (
      <div class="progress" data-growth={now.state}>
        <progress max={now.total} value={now.done} aria-label={t('book.grow')} />
        <span class="faint">{now.done}/{now.total}</span>
        <button type="button" class="small" onClick={stopGrowing} data-grow-stop>{t('engine.stop')}</button>
      </div>
    );
  }
  return (
    <>
      <div class="actions quiet book-grow" data-growth={now?.state ?? 'none'}>
        <button type="button" onClick={() => grow(positions, effort)} title={t('book.growtext')} data-grow>{t('book.grow')}</button>
        <label class="small inline"><span class="unseen">{t('book.positions')}</span>
          <select value={positions} onChange={(event) => setPositions(Number(event.currentTarget.value))}>{[10, 30, 100, 300, 1000].map((n) => <option key={n} value={n}>{t('book.npositions', { n })}</option>)}</select>
        </label>
        <label class="small inline"><span class="unseen">{t('review.effort')}</span>
          <select value={effort} onChange={(event) => setEffort(event.currentTarget.value as (typeof EFFORTS)[number])} data-grow-effort>{EFFORTS.map((name) => <option key={name} value={name}>{known('effort', name)}</option>)}</select>
        </label>
      </div>
      {now?.state === 'failed' && <p class="problem">{t('engine.failed')} {now.message}</p>}
    </>
  );
}

function OwnGames({ games }: { games: OwnGame[] }) {
  if (games.length === 0) return null;
  const result = ({ result: of }: OwnGame): string => (of === 1 ? t('book.won') : of === 0 ? t('book.lost') : of === 0.5 ? t('book.drawn') : t('book.open'));
  return (
    <details class="book-games" data-book-games={games.length}>
      <summary>{t('book.games', { n: games.length })}</summary>
      <ul>{games.map((game) => <li key={game.game}><a href={routeHash('analyse', 'game', game.game)}>{notated(game)}</a> <span class="faint">{say(game.opponent)} · {result(game)}</span></li>)}</ul>
    </details>
  );
}

type Asked = 'new' | 'rename' | 'play' | null;

function NameDialog({ title, name, save, close }: { title: string; name: string; save: (name: string) => Promise<unknown>; close: () => void }) {
  const [text, setText] = useState(name);
  return (
    <Dialog title={title} close={close}>
      <form class="settings" onSubmit={(event) => { event.preventDefault(); void save(text.trim()).then(close); }}>
        <label class="field"><span>{t('book.name')}</span><input type="text" required maxLength={120} value={text} onInput={(event) => setText(event.currentTarget.value)} data-book-name /></label>
        <div class="actions"><button type="submit" class="primary" data-book-name-save>{t('study.save')}</button><button type="button" onClick={close}>{t('cancel')}</button></div>
      </form>
    </Dialog>
  );
}

async function save(format: string): Promise<void> {
  const here = book.value;
  if (!here) return;
  try {
    saveBlob(await rest.bookFile(here.book, format), `${here.name.replace(/[\\/:*?"<>|]+/g, '_')}.${format}`);
  } catch (cause) {
    complain(cause);
  }
}

function Tools({ ask }: { ask: (what: Asked) => void }) {
  const file = useRef<HTMLInputElement>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const here = book.value;
  const then = (work: () => void) => (): void => {
    if (menu.current) menu.current.open = false;
    work();
  };
  return (
    <div class="book-tools">
      {choices.value.length > 0 && (
        <label class="small"><span class="unseen">{t('book.which')}</span>
          <select value={here?.book ?? ''} onChange={(event) => choose(event.currentTarget.value)} data-book-choice>{choices.value.map(({ book: id, name }) => <option key={id} value={id}>{name}</option>)}</select>
        </label>
      )}
      <details class="menu" ref={menu} data-book-menu>
        <summary>{t('book.menu')}</summary>
        <div>
          <button type="button" class="plain" onClick={then(() => ask('new'))} data-book-new>{t('book.new')}</button>
          <button type="button" class="plain" onClick={then(() => file.current?.click())}>{t('book.file')}</button>
          {here?.own && <button type="button" class="plain" onClick={then(() => ask('rename'))}>{t('book.rename')}</button>}
          {here?.own && ['db', 'nbk', 'ybb', 'sbk'].map((format) => <button key={format} type="button" class="plain" onClick={then(() => void save(format))} data-book-file={format}>{t('book.save', { format })}</button>)}
          {here?.own && <button type="button" class="plain" onClick={then(() => void discard())} data-book-delete>{t('book.delete')}</button>}
        </div>
      </details>
      <input type="file" class="unseen" ref={file} accept=".db,.nbk,.ybb,.bin,.sbk" tabIndex={-1} aria-label={t('book.file')} onChange={(event) => { const [chosen] = event.currentTarget.files ?? []; if (chosen) void read(chosen); event.currentTarget.value = ''; }} data-book-input />
      {here && (
        <div class="actions">
          <button type="button" class="small" onClick={() => ask('play')} data-book-play>{t('book.play')}</button>
          {here.own && <button type="button" class="small" disabled={!here.undo} aria-label={t('undo')} title={t('undo')} onClick={() => void travel('undo')} data-book-undo>↶</button>}
          {here.own && <button type="button" class="small" disabled={!here.redo} aria-label={t('redo')} title={t('redo')} onClick={() => void travel('redo')} data-book-redo>↷</button>}
        </div>
      )}
    </div>
  );
}

function Page() {
  const now = page.value;
  const own = book.value?.own ?? false;
  if (!now) return null;
  return (
    <>
      {now.passed && <p class="faint" data-book-passed>{sentence(say(now.passed))}</p>}
      {now.comment && <p>{now.comment}</p>}
      {now.moves.length > 0 && (
        <table class="book-moves">
          <thead><tr><th scope="col">{t('book.move')}</th><th scope="col">{t('book.value')}</th><th scope="col">{t('book.count')}</th><th scope="col">{t('book.chance')}</th>{own && <th scope="col"><span class="unseen">{t('tool.edit')}</span></th>}</tr></thead>
          <tbody>{now.moves.map((row) => <Row key={row.move} row={row} own={own} />)}</tbody>
        </table>
      )}
      {own && <Add />}
      {own && <Grow />}
      <OwnGames games={now.games} />
    </>
  );
}

const settle = pacer(120);

export function BookPanel() {
  const [asked, ask] = useState<Asked>(null);
  const seen = `${book.value?.book}|${study.value.start}|${moves.value.join(' ')}`;
  useEffect(() => listenToGrowth(), []);
  useEffect(() => {
    if (open.value && books.value === null) void loadBooks();
  }, [open.value]);
  useEffect(() => settle(() => void look()), [seen, open.value]);
  const here = book.value;
  const close = (): void => ask(null);
  return (
    <details class="rules book" open={open.value} onToggle={(event) => setOpen(event.currentTarget.open)} data-book={here?.book ?? ''}>
      <summary>{t('book.title')}</summary>
      {open.value && (
        <>
          <Tools ask={ask} />
          {books.value !== null && !here && <p class="faint">{t('book.none')}</p>}
          <Page />
        </>
      )}
      {asked === 'new' && <NameDialog title={t('book.new')} name="" save={create} close={close} />}
      {asked === 'rename' && here && <NameDialog title={t('book.rename')} name={here.name} save={rename} close={close} />}
      {asked === 'play' && here && <Dialog title={t('book.play')} close={close}><NewGameForm from={{ variant: study.value.variant, start: node.value.sfen, book: { id: here.book, name: here.name } }} /></Dialog>}
    </details>
  );
}
