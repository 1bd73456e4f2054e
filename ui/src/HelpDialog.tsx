// All keys on one sheet.

import { t } from './i18n';
import { Dialog } from './parts/Dialog';
import { settings } from './settings';
import { Choice } from './parts/Choice';

function sheet(): [string, [string, string][]][] {
  return [
    [t('help.everywhere'), [['?', t('help.help')], ['← →', t('help.step')], ['Home End', t('help.ends')], ['f', t('flip')], ['m', t('entry.label')], ['Ctrl+V', t('help.paste')]]],
    [t('nav.play'), [['h', t('play.hint')], ['u', t('play.takeback')]]],
    [t('nav.analyse'), [['↑ ↓', t('help.aside')], ['e', t('help.engine')], ['o', t('tool.open')], ['Ctrl+S', t('tool.export')], ['x', t('tree.promote')], ['Ctrl+Z', t('undo')], ['Ctrl+Y', t('redo')]]],
    [t('board.label'), [['← ↑ ↓ →', t('help.cursor')], ['Enter', t('help.take')], ['P L N S G B R', t('help.hand')], ['Esc', t('help.letgo')]]],
  ];
}

export function HelpDialog({ close }: { close: () => void }) {
  return (
    <Dialog title={t('help.title')} wide close={close}>
      <div class="help-sheet" data-help>
        {sheet().map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, words]) => (
                <div key={words}><dt>{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{words}</dd></div>
              ))}
            </dl>
          </section>
        ))}
        <p class="faint">{t('help.mouse')}</p>
      </div>
      <Choice
        label={t('help.letters')} value={settings.shortcuts.value} onChange={(value) => (settings.shortcuts.value = value)}
        options={[['on', t('on')], ['off', t('off')]]}
      />
    </Dialog>
  );
}
