// The record out again, in every format, with evaluations where the format has room for them.

import { useEffect, useState } from 'preact/hooks';
import { hello } from '../hello';
import { t } from '../i18n';
import { rest } from '../net/rest';
import { Dialog } from '../parts/Dialog';
import { Select } from '../parts/Choice';
import { complain, toast } from '../parts/toast';
import { BLACK, DAY, STARTED, WHITE } from '../i18n/headers';
import { dayIn, dayOf, fileName, saveBlob } from '../parts/save';
import { gameHash, positionHash } from './share';
import { current, node, study } from './state';
import { headerOf, toTree } from './tree';

const address = (hash: string): string => `${location.origin}${location.pathname}${hash}`;

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
      const now = study.value;
      const day = dayIn(headerOf(now, STARTED) ?? headerOf(now, DAY)) ?? dayOf(Date.now());
      const players = [headerOf(now, BLACK), headerOf(now, WHITE)];
      saveBlob(blob, fileName(day, players.some((name) => name) ? players : [t('file.game')], format));
    } catch (cause) {
      complain(cause);
    }
  };
  const copy = async (what: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(what);
      toast(t('export.copied'));
    } catch {
      toast(t('export.nocopy'), true);
    }
  };
  return (
    <Dialog title={t('export.title')} wide close={close}>
      <div class="row">
        <Select label={t('export.format')} value={format} onChange={setFormat} options={[...(hello.value?.formats ?? []), 'sfen'].map((name) => [name, name.toUpperCase()] as const)} />
        <Select label={t('export.encoding')} value={encoding} onChange={setEncoding} options={(hello.value?.encodings ?? []).map((name) => [name, name] as const)} />
      </div>
      <label class="field"><span>{t('export.text')}</span><textarea rows={11} readOnly value={text} data-export /></label>
      {losses && <p class="faint">{t('export.losses', { what: losses })}</p>}
      <div class="actions">
        <button type="button" class="primary" onClick={() => void save()} data-save-file>{t('export.save')}</button>
        <button type="button" onClick={() => void copy(text)}>{t('export.copy')}</button>
        <button type="button" onClick={() => void copy(node.value.sfen)}>{t('export.sfen')}</button>
        <button type="button" onClick={() => void copy(address(positionHash(study.value.variant, node.value.sfen)))} data-share-position>{t('share.position')}</button>
        <button type="button" onClick={() => void copy(address(gameHash(study.value, current.value)))} data-share-game>{t('share.game')}</button>
      </div>
    </Dialog>
  );
}
