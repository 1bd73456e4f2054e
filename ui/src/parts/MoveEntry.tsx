// A box to type a move into, for keyboards, screen readers and those in a hurry.

import { useState } from 'preact/hooks';
import { t } from '../i18n';
import { announce } from '../board/announce';
import type { Position } from '../net/contract';
import { readEntry } from '../notation/entry';

interface Props { position: Position | null; enabled: boolean; onMove: (usi: string) => void }

export function MoveEntry({ position, enabled, onMove }: Props) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!position || !enabled) return;
    const entry = readEntry(text, position.sfen, position.legal, position.last);
    if ('move' in entry) {
      setText('');
      setProblem('');
      onMove(entry.move);
      return;
    }
    const said = 'several' in entry ? t('entry.several', { moves: entry.several.join(', ') }) : t('entry.none', { text });
    setProblem(said);
    announce(said);
  };
  return (
    <form class="move-entry" onSubmit={submit}>
      <label>
        <span class="unseen">{t('entry.label')}</span>
        <input
          type="text" autocomplete="off" autocapitalize="off" spellcheck={false} maxLength={24} value={text}
          placeholder={t('entry.placeholder')} disabled={!enabled} data-move-entry
          aria-describedby={problem ? 'entry-problem' : undefined} aria-invalid={problem !== ''}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setProblem('');
          }}
        />
      </label>
      {problem && <p id="entry-problem" class="problem">{problem}</p>}
    </form>
  );
}
