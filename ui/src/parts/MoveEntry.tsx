// A box to type a move into, for keyboards, screen readers and those in a hurry.

import { useState } from 'preact/hooks';
import { t } from '../i18n';
import { announce, reasonWords } from '../board/announce';
import { imaginable, whyIllegal } from '../board/illegal';
import { parseSfen } from '../board/shogi';
import type { Position } from '../net/contract';
import { readEntry } from '../notation/entry';

/** What was typed is a move, if not a legal one: then why. */
function reason(text: string, position: Position): string {
  const diagram = parseSfen(position.sfen);
  if (!diagram) return '';
  const usi = /^([1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])$/i.exec(text.trim())?.[0];
  const move = usi ? (usi[1] === '*' ? `${usi[0]?.toUpperCase()}${usi.slice(1).toLowerCase()}` : usi.toLowerCase()) : undefined;
  const entry = move ? { move } : readEntry(text, position.sfen, imaginable(diagram), position.last);
  const meant = 'move' in entry ? entry.move : 'several' in entry ? entry.several[0] : undefined;
  return meant ? reasonWords(whyIllegal(diagram, meant)) : '';
}

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
    const said = 'several' in entry ? t('entry.several', { moves: entry.several.join(', ') }) : `${t('entry.none', { text })} ${reason(text, position)}`.trim();
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
