// A game from outside: pasted text or a file, in any of the formats; the server finds out which.

import { useEffect, useState } from 'preact/hooks';
import type { Trees, Variant } from '../net/contract';
import { facts, hello } from '../hello';
import { say, t } from '../i18n';
import { Refusal, rest } from '../net/rest';
import { Choice } from '../parts/Choice';
import { Dialog } from '../parts/Dialog';
import { complain, refusalWords, toast } from '../parts/toast';
import { faultWords } from '../board/announce';
import { faults } from '../board/illegal';
import { parseSfen } from '../board/shogi';
import { openStart, openTree, study } from './state';

/** A bare SFEN, or `position sfen … moves …` with neither moves nor a header, opens as a position. */
const BARE = /^(?:position\s+)?(?:sfen\s+)?((?:[plnsgbrkPLNSGBRK+1-9]+\/){4,8}[plnsgbrkPLNSGBRK+1-9]+\s+[bw]\s+\S+(?:\s+\d+)?)\s*$/;

/** What is wrong with a position, in the visitor's language where we know it. */
export function positionFaults(sfen: string, told: string[], purpose: 'game' | 'mate' = 'mate'): string[] {
  const diagram = parseSfen(sfen);
  const ours = diagram ? faults(diagram, purpose).map(faultWords) : [];
  return ours.length > 0 ? ours : told;
}

export async function openText(variant: Variant, text: string): Promise<boolean> {
  const bare = BARE.exec(text.trim());
  const sfen = bare?.[1];
  if (!sfen) return false;
  const found = sfen.split(' ')[0]?.split('/').length === 5 ? 'minishogi' : variant === 'minishogi' ? 'shogi' : variant;
  const answer = await rest.check(found, sfen, 'mate');
  if (!answer.ok) throw new Refusal('bad_position', positionFaults(sfen, answer.reasons).join(' '));
  openStart(found, answer.sfen);
  return true;
}

/** `body` is something that came by itself (pasted or dropped on the page): the dialog shows only if a question is left. */
export function OpenDialog({ close, body }: { close: () => void; body?: string | File | null }) {
  const [text, setText] = useState(typeof body === 'string' ? body.slice(0, 100000) : '');
  const [reading, setReading] = useState(!!body);
  const [variant, setVariant] = useState<Variant>(study.value.variant);
  const [found, setFound] = useState<Trees | null>(null);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState('');

  const take = (trees: Trees): void => {
    const only = trees.games[0];
    if (trees.games.length > 1) setFound(trees);
    else if (only) {
      openTree(only);
      if (trees.problems.length) toast(t('open.problems', { n: trees.problems.length, first: trees.problems[0]?.message ?? '' }), true);
      close();
    }
  };
  const read = async (body: string | File): Promise<void> => {
    try {
      setProblem('');
      const limit = hello.value?.limits.bytes ?? 1048576;
      if ((typeof body === 'string' ? body.length : body.size) > limit) throw new Refusal('too_large', '');
      if (typeof body === 'string' && (await openText(variant, body))) close();
      else take(await rest.read(variant, body, typeof body === 'string' ? undefined : body.name));
    } catch (cause) {
      complain(cause);
      setProblem(cause instanceof Refusal ? `${refusalWords(cause.code)} ${cause.message}` : '');
    } finally {
      setReading(false);
    }
  };
  useEffect(() => {
    if (body) void read(body);
  }, [body]);
  if (reading) return null;
  if (found) {
    return (
      <Dialog title={t('open.which')} close={close}>
        <ul class="game-list">
          {found.games.map((tree, index) => (
            <li key={index}>
              <a href="#" onClick={(event) => { event.preventDefault(); openTree(tree); close(); }}>
                <strong>{tree.black ?? '?'} – {tree.white ?? '?'}</strong>
                <span>{t('play.plies', { n: tree.nodes.length - 1 })}</span>
              </a>
            </li>
          ))}
        </ul>
        {found.left_out > 0 && <p class="faint">{t('open.leftout', { n: found.left_out })}</p>}
      </Dialog>
    );
  }
  return (
    <Dialog title={t('open.title')} wide close={close}>
      <Choice<Variant> label={t('new.game')} value={variant} onChange={setVariant} options={(hello.value?.variants ?? []).map(({ id }) => [id, say(facts(id).name)] as const)} />
      <label class="field">
        <span>{t('open.paste')}</span>
        <textarea
          rows={9} value={text} spellcheck={false} class={over ? 'over' : ''} data-paste onInput={(event) => setText(event.currentTarget.value)}
          onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            event.stopPropagation();
            setOver(false);
            const file = event.dataTransfer?.files[0];
            if (file) void read(file);
          }}
        />
      </label>
      {problem && <p class="problem" role="alert">{problem}</p>}
      <div class="actions">
        <button type="button" class="primary" disabled={text.trim() === ''} onClick={() => void read(text)} data-open-text>{t('open.read')}</button>
        <label class="button file-button">
          {t('open.file')}
          <input type="file" class="unseen" accept=".kif,.kifu,.ki2,.ki2u,.csa,.jkf,.json,.usi,.sfen,.txt" data-file onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void read(file); }} />
        </label>
        <button type="button" onClick={() => { openStart(variant); close(); }}>{t('open.start')}</button>
      </div>
    </Dialog>
  );
}
