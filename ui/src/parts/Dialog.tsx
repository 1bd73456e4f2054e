// A modal window: the browser's own <dialog>, which keeps the focus inside and closes on Escape.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n';

interface Props { title: string; wide?: boolean; close: () => void; children: ComponentChildren }

export function Dialog({ title, wide, close, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element} class={wide ? 'wide' : ''} aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === element.current) close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="plain" aria-label={t('close')} onClick={close}>✕</button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
