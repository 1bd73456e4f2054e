// How the page looks and speaks. Every change is seen at once.

import { t } from './i18n';
import { Choice } from './parts/Choice';
import { Dialog } from './parts/Dialog';
import { hello } from './hello';
import { sound } from './parts/sound';
import { settings, type BoardLook, type PieceSet } from './settings';

function PiecePicture({ set }: { set: PieceSet }) {
  return (
    <span class={`piece-row set-${set}`} aria-hidden="true">
      {['king', 'rook', 'dragon', 'pawn', 'tokin'].map((role) => <i key={role} class={`piece-picture ${role}`} />)}
    </span>
  );
}

export function SettingsDialog({ close }: { close: () => void }) {
  return (
    <Dialog title={t('settings.title')} close={close}>
      <div class="settings">
        <Choice label={t('settings.language')} value={settings.language.value} options={[['en', 'English'], ['ja', '日本語']]} onChange={(value) => (settings.language.value = value)} />
        <Choice
          label={t('settings.theme')} value={settings.theme.value} onChange={(value) => (settings.theme.value = value)}
          options={[['auto', t('theme.auto')], ['light', t('theme.light')], ['dark', t('theme.dark')]]}
        />
        <Choice
          label={t('settings.pieces')} value={settings.pieces.value} onChange={(value) => (settings.pieces.value = value)}
          options={[['kanji', t('pieces.kanji')], ['brush', t('pieces.brush')], ['single', t('pieces.single')], ['western', t('pieces.western')]]}
        />
        <PiecePicture set={settings.pieces.value} />
        <Choice<BoardLook>
          label={t('settings.board')} value={settings.board.value} onChange={(value) => (settings.board.value = value)}
          options={[['kaya', t('board.kaya')], ['walnut', t('board.walnut')], ['plain', t('board.plain')]]}
        />
        <Choice
          label={t('settings.coordinates')} value={settings.coordinates.value} onChange={(value) => (settings.coordinates.value = value)}
          options={[['japanese', t('coordinates.japanese')], ['western', t('coordinates.western')], ['none', t('coordinates.none')]]}
        />
        <Choice
          label={t('settings.animation')} value={settings.animation.value} onChange={(value) => (settings.animation.value = value)}
          options={[['on', t('on')], ['off', t('off')]]}
        />
        <label class="field">
          <span>{t('settings.volume')} <strong>{settings.volume.value === '0' ? t('off') : `${settings.volume.value}%`}</strong></span>
          <input
            type="range" min={0} max={100} step={10} value={settings.volume.value} data-volume
            onInput={(event) => {
              settings.volume.value = event.currentTarget.value;
              sound('piece');
            }}
          />
        </label>
        <p class="faint">Nue {hello.value?.version} · GPL-3.0-or-later · <a href="./NOTICES.txt" target="_blank" rel="noreferrer">{t('settings.notices')}</a></p>
      </div>
    </Dialog>
  );
}
