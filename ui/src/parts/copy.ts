// Into the clipboard, and a word about whether it worked.

import { t } from '../i18n';
import { toast } from './toast';

export async function copied(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(t('export.copied'));
  } catch {
    toast(t('export.nocopy'), true);
  }
}
