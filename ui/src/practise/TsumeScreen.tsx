// Mate problems at one's level, solved by playing.

import { useEffect } from 'preact/hooks';
import type { TsumeProgress } from '../net/contract';
import { Board } from '../board/Board';
import { colorName } from '../board/announce';
import { follow } from '../board/shogi';
import { facts } from '../hello';
import { notated, t } from '../i18n';
import { connection } from '../net/socket';
import { MoveEntry } from '../parts/MoveEntry';
import { giveUp, load, moves, next, nonce, playOut, position, resume, solution, state, stopPlaying, tryMove } from './tsume';

function Progress({ progress }: { progress: TsumeProgress }) {
  return (
    <section class="tsume-progress" aria-label={t('tsume.progress')}>
      <h2>{t('tsume.progress')}</h2>
      <p>{t('tsume.level', { n: progress.level })} · {t('tsume.solvedof', { n: progress.solved, total: progress.total })} · {t('tsume.streak', { n: progress.streak })}{progress.due > 0 ? ` · ${t('tsume.due', { n: progress.due })}` : ''}</p>
      <ul class="lengths">
        {progress.lengths.map(({ plies, solved, total }) => (
          <li key={plies}><span>{t('tsume.plies', { n: plies })}</span><progress max={total} value={solved} aria-label={t('tsume.plies', { n: plies })} /><span class="faint">{solved}/{total}</span></li>
        ))}
      </ul>
    </section>
  );
}

export function TsumeScreen() {
  const linked = connection().link.value === 'open';
  useEffect(() => {
    if (linked) resume();
  }, [linked]);
  useEffect(() => stopPlaying, []);
  const now = next.value;
  if (!now) return <main class="screen"><p class="loading">{t('loading')}</p></main>;
  const { problem } = now;
  const over = state.value === 'solved' || state.value === 'shown';
  const at = problem ? follow(problem.sfen, moves.value) : facts('shogi').start;
  const known = !over ? position.value : null;
  return (
    <main class="screen practise tsume" data-problem={problem?.id} data-state={state.value} data-moves={moves.value.length} data-ready={String(known !== null)} data-turn={problem?.turn}>
      <section class="board-column" aria-label={t('board.label')}>
        <Board
          view={{ sfen: at, last: moves.value[moves.value.length - 1] ?? null, mover: over || !problem ? null : problem.turn, position: known, nonce: nonce.value, check: known?.check ? known.king : null }}
          orientation={problem?.turn ?? 'black'} hand={facts('shogi').hand} onMove={(usi) => void tryMove(usi)}
        />
      </section>
      <aside class="panel">
        <h1 class="panel-title">{t('tsume.title')}</h1>
        {!problem && <p>{t('tsume.none')}</p>}
        {problem && (
          <>
            <p><strong>{t('tsume.task', { side: colorName(problem.turn), n: problem.plies })}</strong>{now.again && <span class="faint"> {t('tsume.again')}</span>}</p>
            <p class={`status ${state.value === 'solved' ? 'won' : state.value === 'wrong' ? 'lost' : ''}`} role="status" data-tsume-status>{t(`tsume.is.${state.value}`)}</p>
            {solution.value && <p class="line-text" data-solution>{notated(solution.value).join(' ')}</p>}
            <div class="actions">
              {!over && <button type="button" onClick={() => void giveUp()} data-giveup>{t('tsume.giveup')}</button>}
              {over && <button type="button" class="primary" onClick={() => void load()} data-next>{t('tsume.next')}</button>}
              {over && <button type="button" onClick={playOut} data-playout>{t('mate.playout')}</button>}
            </div>
            {!over && <MoveEntry position={known} enabled={known !== null} onMove={(usi) => void tryMove(usi)} />}
          </>
        )}
        <Progress progress={now.progress} />
        <p class="faint">{t('tsume.text')}</p>
      </aside>
    </main>
  );
}
