// The record out again, in every format, with evaluations where the format has room for them.

import { useEffect, useState } from 'preact/hooks';
import { hello } from '../hello';
import { fill, known, t } from '../i18n';
import { rest } from '../net/rest';
import { Dialog } from '../parts/Dialog';
import { Select } from '../parts/Choice';
import { copied as copy } from '../parts/copy';
import { complain } from '../parts/toast';
import { BLACK, DAY, STARTED, WHITE } from '../i18n/headers';
import { dayIn, dayOf, fileName, saveBlob } from '../parts/save';
import { gameHash, positionHash } from './share';
import type { PictureOf } from './picture';
import { current, line, node, orientation, study } from './state';
import { headerOf, toTree } from './tree';

const address = (hash: string): string => `${location.origin}${location.pathname}${hash}`;

/** The longest game that becomes a moving picture. */
const MOST_FRAMES = 400;

function name(format: string): string {
  const now = study.value;
  const day = dayIn(headerOf(now, STARTED) ?? headerOf(now, DAY)) ?? dayOf(Date.now());
  const players = [headerOf(now, BLACK), headerOf(now, WHITE)];
  return fileName(day, players.some((player) => player) ? players : [t('file.game')], format);
}

/** What a format has no room for, as the server counts it ("53 time stamps, 1 variation"), in the page's language. */
function lossWords(text: string): string {
  return text.split(', ').map((part) => {
    const found = /^(\d+) (\w+?)(?: stamp)?s?$/.exec(part);
    return found ? fill(known('loss', found[2] ?? ''), { n: Number(found[1]) }) : part;
  }).join(', ');
}

export function ExportDialog({ close }: { close: () => void }) {
  const [format, setFormat] = useState('kif');
  const [encoding, setEncoding] = useState('utf-8');
  const [text, setText] = useState('');
  const [losses, setLosses] = useState('');
  useEffect(() => {
    let wanted = true;
    rest.write(format, 'utf-8', toTree(study.value)).then(async ({ blob, losses }) => {
      const read = await blob.text();
      if (wanted) {
        setText(read);
        setLosses(losses);
      }
    }, complain);
    return () => {
      wanted = false;
    };
  }, [format]);
  const save = async (): Promise<void> => {
    try {
      const { blob } = await rest.write(format, encoding, toTree(study.value));
      saveBlob(blob, name(format));
    } catch (cause) {
      complain(cause);
    }
  };
  const [drawing, setDrawing] = useState<string | null>(null);
  const picture = async (kind: 'png' | 'svg' | 'gif'): Promise<void> => {
    const now = study.value;
    const of = (id: number): PictureOf => ({ sfen: now.nodes[id]?.sfen ?? now.start, last: now.nodes[id]?.move, orientation: orientation.value, black: now.black, white: now.white });
    const shown = line.value.filter((id) => !now.nodes[id]?.end);
    setDrawing('…');
    try {
      const { gifFile, pngFile, svgFile } = await import('./picture');
      const blob = kind === 'gif' ? await gifFile(shown.slice(0, MOST_FRAMES).map(of), (done) => setDrawing(`${done}/${shown.length}`)) : await (kind === 'png' ? pngFile : svgFile)(of(current.value));
      saveBlob(blob, name(kind));
    } catch (cause) {
      complain(cause);
    }
    setDrawing(null);
  };
  return (
    <Dialog title={t('export.title')} wide close={close}>
      <div class="row">
        <Select label={t('export.format')} value={format} onChange={setFormat} options={[...(hello.value?.formats ?? []), 'sfen'].map((name) => [name, name.toUpperCase()] as const)} />
        <Select label={t('export.encoding')} value={encoding} onChange={setEncoding} options={(hello.value?.encodings ?? []).map((name) => [name, name] as const)} />
      </div>
      <label class="field"><span>{t('export.text')}</span><textarea rows={11} readOnly value={text} data-export /></label>
      {losses && <p class="faint">{t('export.losses', { what: lossWords(losses) })}</p>}
      <div class="actions">
        <button type="button" class="primary" onClick={() => void save()} data-save-file>{t('export.save')}</button>
        <button type="button" onClick={() => void copy(text)}>{t('export.copy')}</button>
        <button type="button" onClick={() => void copy(node.value.sfen)}>{t('export.sfen')}</button>
        <button type="button" onClick={() => void copy(address(positionHash(study.value.variant, node.value.sfen)))} data-share-position>{t('share.position')}</button>
        <button type="button" onClick={() => void copy(address(gameHash(study.value, current.value)))} data-share-game>{t('share.game')}</button>
      </div>
      <div class="actions" role="group" aria-label={t('picture.title')}>
        <strong>{t('picture.title')}</strong>
        <button type="button" disabled={drawing !== null} onClick={() => void picture('png')} data-picture="png">PNG</button>
        <button type="button" disabled={drawing !== null} onClick={() => void picture('svg')} data-picture="svg">SVG</button>
        <button type="button" disabled={drawing !== null || line.value.length < 2} onClick={() => void picture('gif')} data-picture="gif">{t('picture.gif')}</button>
        {drawing && <span class="faint" role="status">{t('picture.drawing', { n: drawing })}</span>}
      </div>
    </Dialog>
  );
}
