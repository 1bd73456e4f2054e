// The study's name and whether it is saved, undo and redo.

import { useState } from 'preact/hooks';
import { t, type Key } from '../i18n';
import { StudyDialog } from './StudyDialog';
import { history, keeper, redo, studyTitle, undo } from './state';

export function StudyBar() {
  const [asked, setAsked] = useState(false);
  const { saving, details } = keeper.value;
  const { past, future } = history.value;
  const { folder, tags } = details.value;
  const place = [folder, ...tags.map((tag) => `#${tag}`)].filter((text) => text !== '').join(' · ');
  return (
    <div class="study-bar">
      <button type="button" class="plain study-name" title={t('study.details')} onClick={() => setAsked(true)} data-study-name>
        <strong>{studyTitle()}</strong>
        <span class="faint" data-saving={saving.value}>{[place, t(`saving.${saving.value}` as Key)].filter((text) => text !== '').join(' · ')}</span>
      </button>
      <button type="button" disabled={past.length === 0} aria-label={t('undo')} title={`${t('undo')} (Ctrl+Z)`} onClick={undo} data-undo>↶</button>
      <button type="button" disabled={future.length === 0} aria-label={t('redo')} title={`${t('redo')} (Ctrl+Y)`} onClick={redo} data-redo>↷</button>
      {asked && <StudyDialog details={details.value} save={(changed) => keeper.value.describe(changed)} close={() => setAsked(false)} />}
    </div>
  );
}
