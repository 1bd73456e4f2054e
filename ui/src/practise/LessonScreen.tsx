// Learning from one's mistakes: the position before each, why the move was bad, and another try.

import { useEffect } from 'preact/hooks';
import type { SidePlan } from '../net/contract';
import { Board } from '../board/Board';
import { colorName } from '../board/announce';
import { follow, isHandicap } from '../board/shogi';
import { facts } from '../hello';
import { known, notated, say, t } from '../i18n';
import { connection } from '../net/socket';
import { percent } from '../parts/format';
import { routeHash } from '../route';
import { answer, face, lesson, listenToLessons, nonce, openLesson, playing, playOut, position, shown, verdict, type Lesson, type Puzzle } from './lesson';

function Plan({ color, plan, handicap }: { color: 'black' | 'white'; plan: SidePlan; handicap: boolean }) {
  return <li><strong>{colorName(color, handicap)}</strong> {say(plan.rook)}{plan.castle ? ` · ${say(plan.castle)}` : ''}</li>;
}

function OpeningNames({ now }: { now: Lesson }) {
  if (!now.opening) return null;
  const handicap = isHandicap(now.tree.start);
  return (
    <section class="opening-names" data-opening={now.opening.id}>
      <h2>{say(now.opening.name)}</h2>
      <ul><Plan color="black" plan={now.opening.black} handicap={handicap} /><Plan color="white" plan={now.opening.white} handicap={handicap} /></ul>
    </section>
  );
}

function Answer({ puzzle }: { puzzle: Puzzle }) {
  const { mistake } = puzzle;
  const now = verdict.value;
  const over = shown.value || now?.kind === 'best' || now?.kind === 'good';
  return (
    <>
      {now?.kind === 'judging' && <p class="faint">{t('lesson.judging')}</p>}
      {now?.kind === 'bad' && <p class="problem" data-verdict="bad">{t('lesson.bad', { loss: percent(now.loss) })}</p>}
      {now?.kind === 'best' && <p class="right" data-verdict="best">{t('lesson.best')}</p>}
      {now?.kind === 'good' && <p class="right" data-verdict="good">{t('lesson.good')}</p>}
      {over && <p data-solution>{t('review.better', { line: notated(mistake.better).slice(0, 8).join(' ') })}</p>}
      <div class="actions">
        {mistake.refutation.pv.length > 0 && <button type="button" onClick={() => playOut([mistake.played.usi, ...mistake.refutation.pv.slice(0, 8)])} data-refutation>{t('lesson.refutation')}</button>}
        {!over && <button type="button" onClick={() => (shown.value = true)} data-show>{t('lesson.show')}</button>}
        {over && <button type="button" onClick={() => playOut(mistake.better.pv.slice(0, 12))} data-playout>{t('mate.playout')}</button>}
      </div>
    </>
  );
}

function Panel({ now }: { now: Lesson }) {
  const puzzle = now.puzzles[now.at];
  const busy = now.state === 'running' || now.state === 'queued';
  return (
    <aside class="panel" data-lesson={now.state} data-puzzles={now.puzzles.length} data-at={now.at} data-solved={now.solved.length}>
      <h1 class="panel-title">{t('play.learn')}</h1>
      {busy && (
        <>
          <p>{t('lesson.looking')}</p>
          <div class="progress"><progress max={now.total} value={now.done} aria-label={t('lesson.looking')} /><span class="faint">{now.done}/{now.total}</span></div>
        </>
      )}
      {now.state === 'failed' && <p class="problem">{t('engine.failed')}</p>}
      <OpeningNames now={now} />
      {now.state === 'done' && now.puzzles.length === 0 && <p data-clean>{t('lesson.clean')}</p>}
      {puzzle && (
        <section class="lesson">
          <p class="faint">{t('lesson.number', { n: now.at + 1, total: now.puzzles.length })} · {t('lesson.solved', { n: now.solved.length })}</p>
          <p><strong>{t('lesson.played', { n: puzzle.mistake.ply, move: notated(puzzle.mistake.played) })}</strong> <span class={`grade ${puzzle.mistake.grade}`}>{known('grade', puzzle.mistake.grade)} −{percent(puzzle.mistake.loss)}</span></p>
          <p class="reason" data-reason={puzzle.mistake.reason.kind}>{say(puzzle.mistake.reason.text)}{puzzle.mistake.reason.proven && <span class="proven">{t('lesson.proven')}</span>}</p>
          <p>{t('lesson.find', { side: colorName(puzzle.mistake.side, isHandicap(now.tree.start)) })}</p>
          <Answer puzzle={puzzle} />
          <div class="steps">
            <button type="button" disabled={now.at === 0} onClick={() => void face(now.at - 1)} data-before>{t('lesson.before')}</button>
            <button type="button" disabled={now.at + 1 >= now.puzzles.length} onClick={() => void face(now.at + 1)} data-next>{t('lesson.next')}</button>
          </div>
        </section>
      )}
      <div class="actions quiet">
        <a class="button" href={routeHash('analyse', 'game', now.game)}>{t('play.analyse')}</a>
        <a class="button" href={routeHash('play', now.game)}>{t('lesson.back')}</a>
      </div>
    </aside>
  );
}

export function LessonScreen({ game }: { game: string }) {
  const linked = connection().link.value === 'open';
  useEffect(listenToLessons, []);
  useEffect(() => {
    if (linked) void openLesson(game);
  }, [linked, game]);
  const now = lesson.value;
  if (now?.game !== game) return <main class="screen"><p class="loading">{t('loading')}</p></main>;
  const puzzle = now.puzzles[now.at];
  const side = puzzle?.mistake.side ?? (now.side === 'white' ? 'white' : 'black');
  const base = puzzle?.sfen ?? now.tree.start;
  const tried = verdict.value?.kind === 'judging' ? [verdict.value.move] : null;
  const line = playing.value ?? tried;
  const view = line
    ? { sfen: follow(base, line), last: line[line.length - 1] ?? puzzle?.last ?? null, mover: null, nonce: nonce.value }
    : { sfen: base, last: puzzle?.last ?? null, mover: side, position: position.value, nonce: nonce.value, check: position.value?.check ? position.value.king : null };
  return (
    <main class="screen practise" data-ready={String(position.value !== null)} data-turn={side}>
      <section class="board-column" aria-label={t('board.label')}>
        <Board view={view} orientation={side} hand={facts(now.tree.variant).hand} onMove={answer} marks={shown.value && !line && puzzle?.mistake.better.pv[0] ? [{ move: puzzle.mistake.better.pv[0], brush: 'better' }] : []} />
        {playing.value && <button type="button" class="small" onClick={() => (playing.value = null)} data-backtopuzzle>{t('lesson.again')}</button>}
      </section>
      <Panel now={now} />
    </main>
  );
}
