// The page opens: styles, language and theme, the first question to the server, then the screen.

import { effect } from '@preact/signals';
import { render } from 'preact';
import './style/page.css';
import './style/parts.css';
import './board/board.css';
import './board/pieces.css';
import { App } from './App';
import { hello } from './hello';
import { connection } from './net/socket';
import { Refusal, rest } from './net/rest';
import { backoff } from './net/socket';
import { listenToGames } from './play/state';
import { listenToIntake } from './parts/intake';
import { listenToRoute } from './route';
import { settings } from './settings';
import { failure } from './failure';

effect(() => {
  document.documentElement.lang = settings.language.value;
  document.documentElement.dataset.theme = settings.theme.value;
  document.documentElement.dataset.board = settings.board.value;
});

async function greet(attempt = 0): Promise<void> {
  try {
    hello.value = await rest.hello();
    failure.value = null;
    connection().connect();
    keepShell();
  } catch (cause) {
    failure.value = cause instanceof Refusal ? cause.code : 'internal';
    if (failure.value !== 'token_required') setTimeout(() => void greet(attempt + 1), backoff(attempt));
  }
}

/** The shell of the page is kept by the browser, where it may be, once the first view stands. */
function keepShell(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  setTimeout(() => navigator.serviceWorker.register('./sw.js').catch(() => undefined), 2000);
}

listenToRoute();
listenToGames();
listenToIntake();
const place = document.getElementById('page');
if (place) render(<App />, place);
void greet();
