// The answer to "is there a mate?".

import { notated, t } from '../i18n';
import { compact } from '../parts/format';
import { refusalWords } from '../parts/toast';
import { preview } from './engine';
import { mate, playOut, stopMate } from './mate';
import { current } from './state';

export function MatePanel() {
  const now = mate.value;
  if (!now) return null;
  const busy = now.state === 'queued' || now.state === 'running';
  const text = now.state === 'mate' ? t('mate.found', { n: now.plies ?? now.line?.length ?? 0 })
    : now.state === 'nomate' ? t('mate.none')
      : now.state === 'failed' ? (now.refused === 'bad_position' ? t('mate.noking') : now.refused ? refusalWords(now.refused) : `${t('engine.failed')} ${now.message ?? ''}`)
        : busy ? t('mate.searching', { nodes: compact(now.nodes ?? 0) }) : t('mate.unknown');
  const words = now.ja && now.en ? notated({ ja: now.ja, en: now.en }) : [];
  return (
    <section class="mate" aria-label={t('mate.title')} data-mate={now.state}>
      <div class="row">
        <strong>{text}</strong>
        {now.state === 'mate' && <button type="button" class="small primary" onClick={() => void playOut()} data-playout>{t('mate.playout')}</button>}
        <button type="button" class="small" onClick={stopMate}>{busy ? t('engine.stop') : t('close')}</button>
      </div>
      {words.length > 0 && (
        <p class="line-moves" onMouseLeave={() => (preview.value = null)}>
          {words.map((word, index) => (
            <span key={index} class="word" onMouseEnter={() => { if (current.value === now.from) preview.value = (now.line ?? []).slice(0, index + 1); }}>{word} </span>
          ))}
        </p>
      )}
    </section>
  );
}
