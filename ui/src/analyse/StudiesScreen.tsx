// The visitor's studies: searched, by folder and tag, page by page; and the bin.

import { useEffect, useState } from 'preact/hooks';
import type { Studies, StudySummary } from '../net/contract';
import { gameName } from '../hello';
import { t } from '../i18n';
import { rest } from '../net/rest';
import { Select } from '../parts/Choice';
import { Dialog } from '../parts/Dialog';
import { momentText } from '../parts/format';
import { pacer } from '../parts/pacer';
import { Pager } from '../parts/Pager';
import { complain, toast } from '../parts/toast';
import { go, routeHash } from '../route';
import { keep, keeper, openStart, restore } from './state';
import { StudyDialog } from './StudyDialog';

const SIZE = 20;
const pause = pacer(200);

interface Wanted { q: string; folder: string; tag: string; deleted: boolean; offset: number }

export function titleOf({ name, black, white }: StudySummary): string {
  return name || [black, white].filter((player) => player).join(' – ') || t('study.untitled');
}

function Words({ study }: { study: StudySummary }) {
  const facts = [study.variant === 'shogi' ? '' : gameName(study.variant, 'even'), study.folder, ...study.tags.map((tag) => `#${tag}`)].filter((text) => text !== '');
  const moves = study.moves === study.plies ? t('play.plies', { n: study.plies }) : t('studies.moves', { plies: study.plies, moves: study.moves });
  return (
    <>
      <strong>{titleOf(study)}</strong>
      <span>{[moves, ...facts].join(' · ')}</span>
      <span class="faint">{momentText(study.updated)}</span>
    </>
  );
}

type Ask = { what: 'details' | 'forget'; study: StudySummary } | { what: 'folder' };

function Row({ study, ask, act }: { study: StudySummary; ask: (asked: Ask) => void; act: (work: Promise<unknown>) => Promise<void> }) {
  const name = titleOf(study);
  const remove = (): void => {
    const undo = { words: t('undo'), act: () => void act(rest.restoreStudy(study.study)) };
    void act(rest.deleteStudy(study.study).then(() => toast(t('study.deleted', { name }), false, undo)));
  };
  if (study.deleted !== null) {
    return (
      <li data-study={study.study}>
        <div class="gone"><Words study={study} /></div>
        <button type="button" class="small" onClick={() => void act(rest.restoreStudy(study.study))} data-restore>{t('bin.restore')}<span class="unseen"> {name}</span></button>
        <button type="button" class="plain" aria-label={`${t('bin.forgood')}: ${name}`} title={t('bin.forgood')} onClick={() => ask({ what: 'forget', study })} data-forget>✕</button>
      </li>
    );
  }
  return (
    <li data-study={study.study}>
      <a href={routeHash('analyse', 'study', study.study)}><Words study={study} /></a>
      <button type="button" class="plain" aria-label={`${t('study.details')}: ${name}`} title={t('study.details')} onClick={() => ask({ what: 'details', study })} data-details>✎</button>
      <button type="button" class="plain" aria-label={`${t('study.delete')}: ${name}`} title={t('study.delete')} onClick={remove} data-delete>✕</button>
    </li>
  );
}

function FolderDialog({ folder, rename, close }: { folder: string; rename: (to: string) => void; close: () => void }) {
  const [to, setTo] = useState(folder);
  return (
    <Dialog title={t('studies.rename')} close={close}>
      <form class="settings" onSubmit={(event) => { event.preventDefault(); rename(to); }}>
        <label class="field"><span>{t('studies.folderto')}</span><input type="text" maxLength={120} value={to} onInput={(event) => setTo(event.currentTarget.value)} data-folder-to /></label>
        <div class="actions"><button type="submit" class="primary">{t('study.save')}</button><button type="button" onClick={close}>{t('cancel')}</button></div>
      </form>
    </Dialog>
  );
}

function ForgetDialog({ name, forget, close }: { name: string; forget: () => void; close: () => void }) {
  return (
    <Dialog title={t('bin.forgood')} close={close}>
      <p>{t('bin.sure', { name })}</p>
      <div class="actions"><button type="button" class="danger" onClick={forget} data-forget-sure>{t('bin.forgood')}</button><button type="button" onClick={close}>{t('cancel')}</button></div>
    </Dialog>
  );
}

/** The page that is wanted now; an answer to an earlier question is dropped. */
function useStudies(wanted: Wanted): [Studies | null, () => Promise<void>] {
  const [page, setPage] = useState<Studies | null>(null);
  const load = async (): Promise<void> => {
    try {
      const { q, folder, tag, deleted, offset } = wanted;
      setPage(await rest.studies({ q, folder, tag, deleted, offset, limit: SIZE }));
    } catch (cause) {
      complain(cause);
    }
  };
  // What is on the board is in the list too, as it is now.
  useEffect(() => {
    restore();
    keep();
    void keeper.value.flush().then(load);
  }, []);
  useEffect(() => {
    pause(() => void load());
  }, [JSON.stringify(wanted)]);
  return [page, load];
}

function Filters({ wanted, page, set, ask }: { wanted: Wanted; page: Studies | null; set: (change: Partial<Wanted>) => void; ask: (asked: Ask) => void }) {
  const counted = (list: Studies['folders'] | undefined, all: string) => [['', all] as const, ...(list ?? []).map(({ name, count }) => [name, `${name} (${count})`] as const)];
  return (
    <div class="study-filters" role="search">
      <label class="field study-search"><span>{t('studies.search')}</span><input type="search" maxLength={200} value={wanted.q} onInput={(event) => set({ q: event.currentTarget.value })} data-search /></label>
      {(page?.folders.length ?? 0) > 0 && <Select label={t('studies.folder')} value={wanted.folder} onChange={(folder) => set({ folder })} options={counted(page?.folders, t('studies.allfolders'))} />}
      {(page?.tags.length ?? 0) > 0 && <Select label={t('studies.tag')} value={wanted.tag} onChange={(tag) => set({ tag })} options={counted(page?.tags, t('studies.alltags'))} />}
      {wanted.folder !== '' && <button type="button" onClick={() => ask({ what: 'folder' })} data-rename-folder>{t('studies.rename')}</button>}
    </div>
  );
}

export function StudiesScreen() {
  const [wanted, setWanted] = useState<Wanted>({ q: '', folder: '', tag: '', deleted: false, offset: 0 });
  const [asked, setAsked] = useState<Ask | null>(null);
  const [page, load] = useStudies(wanted);
  const set = (change: Partial<Wanted>): void => setWanted({ ...wanted, offset: 0, ...change });
  const close = (): void => setAsked(null);
  const act = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
      close();
      await load();
    } catch (cause) {
      complain(cause);
    }
  };
  const empty = page?.total === 0 && page.deleted === 0 && wanted.q === '' && wanted.folder === '' && wanted.tag === '';
  return (
    <main class="studies" data-total={page?.total ?? ''}>
      <div class="row">
        <h1 class="panel-title">{wanted.deleted ? t('studies.bin') : t('studies.title')}</h1>
        <button type="button" class="primary" onClick={() => { openStart('shogi'); go(routeHash('analyse')); }} data-new-study>{t('studies.new')}</button>
      </div>
      <Filters wanted={wanted} page={page} set={set} ask={setAsked} />
      {wanted.deleted && <p class="faint">{t('bin.text')}</p>}
      {page && <p class={page.total > 0 ? 'unseen' : 'faint'} role="status">{page.total > 0 ? t('studies.found', { n: page.total }) : empty ? t('studies.none') : t('studies.nothing')}</p>}
      <ul class="game-list">{page?.studies.map((study) => <Row key={study.study} study={study} ask={setAsked} act={act} />)}</ul>
      <Pager offset={wanted.offset} size={SIZE} total={page?.total ?? 0} go={(offset) => setWanted({ ...wanted, offset })} />
      {wanted.deleted ? <button type="button" class="plain" onClick={() => set({ deleted: false })} data-bin="off">{t('bin.leave')}</button>
        : (page?.deleted ?? 0) > 0 && <button type="button" class="plain faint" onClick={() => set({ deleted: true })} data-bin="on">{t('bin.look', { n: page?.deleted ?? 0 })}</button>}
      {asked?.what === 'details' && <StudyDialog details={asked.study} save={(details) => act(rest.changeStudy(asked.study.study, details))} close={close} />}
      {asked?.what === 'forget' && <ForgetDialog name={titleOf(asked.study)} forget={() => void act(rest.deleteStudy(asked.study.study))} close={close} />}
      {asked?.what === 'folder' && <FolderDialog folder={wanted.folder} close={close} rename={(to) => void act(rest.renameFolder(wanted.folder, to).then(() => set({ folder: to })))} />}
    </main>
  );
}
