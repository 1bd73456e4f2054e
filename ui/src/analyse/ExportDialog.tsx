// The record out again, in every format, with evaluations where the format has room for them.

import { useEffect, useState } from 'preact/hooks';
import { hello } from '../hello';
import { t } from '../i18n';
import { rest } from '../net/rest';
import { Dialog } from '../parts/Dialog';
import { Select } from '../parts/Choice';
import { complain, toast } from '../parts/toast';
import { node, study } from './state';
import { toTree } from './tree';

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
      const address = URL.createObjectURL(blob);
      const link = document.createElement('a');
      link.href = address;
      link.download = `nue.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 1000);
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
        <button type="button" class="primary" onClick={() => void save()}>{t('export.save')}</button>
        <button type="button" onClick={() => void copy(text)}>{t('export.copy')}</button>
        <button type="button" onClick={() => void copy(node.value.sfen)}>{t('export.sfen')}</button>
      </div>
    </Dialog>
  );
}
