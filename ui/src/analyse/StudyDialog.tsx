// Name, folder and tags of a study.

import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n';
import { rest } from '../net/rest';
import { Dialog } from '../parts/Dialog';
import { complain } from '../parts/toast';
import type { Details } from './keeper';

/** Tags as they are typed: between commas, Western or Japanese. */
export function readTags(text: string): string[] {
  return [...new Set(text.split(/[,\uff0c\u3001]/).map((tag) => tag.trim()).filter((tag) => tag !== ''))];
}

interface Props { details: Details; save: (details: Details) => Promise<void>; close: () => void }

export function StudyDialog({ details, save, close }: Props) {
  const [name, setName] = useState(details.name);
  const [folder, setFolder] = useState(details.folder);
  const [tags, setTags] = useState(details.tags.join(', '));
  const [folders, setFolders] = useState<string[]>([]);
  useEffect(() => {
    rest.studies({ limit: 1 }).then((page) => setFolders(page.folders.map((counted) => counted.name)), () => undefined);
  }, []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await save({ name: name.trim(), folder: folder.trim(), tags: readTags(tags) });
      close();
    } catch (cause) {
      complain(cause);
    }
  };
  return (
    <Dialog title={t('study.details')} close={close}>
      <form class="settings" onSubmit={(event) => void submit(event)}>
        <label class="field"><span>{t('study.name')}</span><input type="text" maxLength={120} value={name} onInput={(event) => setName(event.currentTarget.value)} data-name /></label>
        <label class="field"><span>{t('study.folder')}</span><input type="text" maxLength={120} list="folders" value={folder} onInput={(event) => setFolder(event.currentTarget.value)} data-folder /></label>
        <datalist id="folders">{folders.map((known) => <option key={known} value={known} />)}</datalist>
        <label class="field"><span>{t('study.tags')}</span><input type="text" maxLength={400} value={tags} onInput={(event) => setTags(event.currentTarget.value)} data-tags /></label>
        <div class="actions">
          <button type="submit" class="primary" data-details-save>{t('study.save')}</button>
          <button type="button" onClick={close}>{t('cancel')}</button>
        </div>
      </form>
    </Dialog>
  );
}
