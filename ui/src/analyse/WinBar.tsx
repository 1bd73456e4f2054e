// Black's chance as a bar beside the board.

import { useRef } from 'preact/hooks';
import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { scale } from '../hello';
import { t } from '../i18n';
import { percent, scoreText, winrateOf } from '../parts/format';
import { answers, running } from './engine';
import { node, orientation, study } from './state';

export function WinBar() {
  const line = running.value.a ? answers.value.a?.lines?.[0] : undefined;
  // Between two positions the last value stands, so that the bar does not jump.
  const last = useRef<typeof line>(undefined);
  if (line || !running.value.a) last.current = line;
  const evaluation = line ?? (running.value.a ? last.current : undefined) ?? node.value.eval;
  const rate = evaluation ? winrateOf(evaluation, scale(study.value.variant)) : null;
  const below = orientation.value;
  const words = evaluation && rate !== null ? t('bar.label', { side: colorName('black', isHandicap(study.value.start)), rate: percent(rate), score: scoreText(evaluation.score) }) : t('bar.none');
  return (
    <div class={`win-bar ${below === 'black' ? '' : 'turned'} ${rate === null ? 'unknown' : ''}`} role="img" aria-label={words} title={words} data-winrate={rate ?? ''}>
      <span class="win-black" style={{ '--part': percent(rate ?? 0.5, 1) }} />
      {rate !== null && <><b class="below">{percent(below === 'black' ? rate : 1 - rate)}</b><b class="above">{percent(below === 'black' ? 1 - rate : rate)}</b></>}
    </div>
  );
}
