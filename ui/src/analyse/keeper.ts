// What the server keeps of the study on the board: saved by itself a moment after every change, one request at
// a time, tried again where it could not be reached. A study that was changed in another window meanwhile goes
// on as a copy: nothing is ever overwritten unseen.

import { signal } from '@preact/signals';
import type { StudySummary } from '../net/contract';
import { Refusal, rest, sent } from '../net/rest';
import { t } from '../i18n';
import { complain, toast } from '../parts/toast';
import { movesTo, toTree, type Study } from './tree';

export interface Details { name: string; folder: string; tags: string[] }
export type Saving = 'none' | 'saved' | 'waiting' | 'saving' | 'failed';

const PAUSE = 800;
const RETRY = 4000;

export class Keeper {
  readonly details = signal<Details>({ name: '', folder: '', tags: [] });
  readonly saving = signal<Saving>('none');
  id: string | null = null;
  revision = 0;
  source: string | null = null;
  /** What the server has, or what is not worth keeping until it changes. */
  private stored: Study | null = null;
  private storedPlace = '';
  private latest: { study: Study; at: number } | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<void> | null = null;
  private complained = false;
  /** Called when the study has got an id, and after every save. */
  onSaved: () => void = () => undefined;

  /** Begins with what the server has. */
  static of(about: StudySummary, study: Study, at: number): Keeper {
    const keeper = new Keeper();
    keeper.take(about);
    keeper.stored = study;
    keeper.storedPlace = movesTo(study, at).join(' ');
    keeper.saving.value = 'saved';
    return keeper;
  }

  /** Begins with something that is kept as soon as it changes. */
  static quiet(study: Study, source: string | null = null): Keeper {
    const keeper = new Keeper();
    keeper.stored = study;
    keeper.source = source;
    return keeper;
  }

  private take({ study, revision, name, folder, tags, source }: StudySummary): void {
    this.id = study;
    this.revision = revision;
    this.source = source;
    this.details.value = { name, folder, tags };
  }

  get unsaved(): boolean {
    return this.latest !== null && this.latest.study !== this.stored;
  }

  /** What is on the board now. */
  notice(study: Study, at: number): void {
    this.latest = { study, at };
    if (study === this.stored) return;
    if (this.saving.value !== 'saving') this.saving.value = 'waiting';
    this.later(PAUSE);
  }

  private later(pause: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), pause);
  }

  /** Saves now what is not saved; `lasting` as the page is being left. */
  async flush(lasting = false): Promise<void> {
    clearTimeout(this.timer);
    if (this.busy && !lasting) await this.busy;
    this.busy = this.save(lasting);
    await this.busy;
    this.busy = null;
  }

  private async save(lasting: boolean): Promise<void> {
    const now = this.latest;
    if (!now) return;
    const place = movesTo(now.study, now.at);
    const changed = now.study !== this.stored;
    if (!changed && (this.id === null || place.join(' ') === this.storedPlace)) return;
    try {
      if (!changed && this.id !== null) {
        this.storedPlace = place.join(' ');
        await rest.changeStudy(this.id, { at: place }, lasting);
        return;
      }
      this.saving.value = 'saving';
      const tree = sent(toTree(now.study));
      if (this.id === null) this.take((await rest.addStudy({ ...this.details.value, source: this.source, at: place, tree })).about);
      else this.revision = (await rest.changeStudy(this.id, { revision: this.revision, at: place, tree }, lasting)).revision;
      this.stored = now.study;
      this.storedPlace = place.join(' ');
      this.complained = false;
      this.saving.value = this.unsaved ? 'waiting' : 'saved';
      if (this.unsaved) this.later(PAUSE);
      this.onSaved();
    } catch (cause) {
      this.failed(cause);
    }
  }

  private failed(cause: unknown): void {
    const code = cause instanceof Refusal ? cause.code : 'internal';
    this.saving.value = 'failed';
    if (code === 'changed_elsewhere' || (code === 'not_found' && this.id !== null)) {
      if (code === 'changed_elsewhere') toast(t('study.copied'), true);
      this.id = null;
      this.source = null;
      if (this.details.value.name) this.details.value = { ...this.details.value, name: t('study.copyof', { name: this.details.value.name }) };
      this.later(0);
      return;
    }
    // Said once; it is tried again until it succeeds.
    if (code !== 'network' && !this.complained) complain(cause);
    this.complained = true;
    this.later(code === 'network' ? RETRY : RETRY * 5);
  }

  /** Another name, folder or tags. What the server does not have yet is kept with them. */
  async describe(details: Details): Promise<void> {
    if (this.busy) await this.busy;
    if (this.id === null) {
      this.details.value = details;
      this.stored = null;
      await this.flush();
      return;
    }
    const { name, folder, tags } = await rest.changeStudy(this.id, details);
    this.details.value = { name, folder, tags };
  }
}
