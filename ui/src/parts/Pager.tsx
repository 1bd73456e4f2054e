// Through a long list page by page.

import { t } from '../i18n';

interface Props { offset: number; size: number; total: number; go: (offset: number) => void }

export function Pager({ offset, size, total, go }: Props) {
  if (total <= size) return null;
  return (
    <nav class="pager" aria-label={t('pager.label')}>
      <button type="button" class="small" disabled={offset === 0} onClick={() => go(Math.max(0, offset - size))} data-page="-1">◀ <span class="unseen">{t('pager.before')}</span></button>
      <span class="faint" role="status" data-pager>{t('pager.shown', { from: offset + 1, to: Math.min(total, offset + size), total })}</span>
      <button type="button" class="small" disabled={offset + size >= total} onClick={() => go(offset + size)} data-page="1"><span class="unseen">{t('pager.after')}</span> ▶</button>
    </nav>
  );
}
