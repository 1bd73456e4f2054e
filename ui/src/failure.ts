// Why the page cannot talk to its server, if it cannot.

import { signal } from '@preact/signals';

export const failure = signal<string | null>(null);
