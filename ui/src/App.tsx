// The frame round every screen: heading, language, settings, connection, and the region that speaks.

import type { FunctionComponent } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { announcements } from './board/announce';
import { failure } from './failure';
import { hello } from './hello';
import { t, type Key } from './i18n';
import { connection } from './net/socket';
import { serverless } from './net/transport';
import { complain, refusalWords, Toast } from './parts/toast';
import { PlayScreen } from './play/PlayScreen';
import { route, routeHash, type Route } from './route';
import { settings } from './settings';
import { HelpDialog } from './HelpDialog';
import { hovering } from './parts/intake';
import { shortcuts } from './parts/keys';
import { SettingsDialog } from './SettingsDialog';

const SCREENS: Route['screen'][] = serverless ? ['play', 'analyse', 'practise'] : ['play', 'analyse', 'practise', 'watch'];
type LazyScreen = Exclude<Route['screen'], 'play'>;
const LAZY: Record<LazyScreen, () => Promise<FunctionComponent>> = {
  analyse: async () => (await import('./analyse/AnalyseScreen')).AnalyseScreen,
  practise: async () => (await import('./practise/PractiseScreen')).PractiseScreen,
  watch: async () => (await import('./watch/WatchScreen')).WatchScreen,
};

/** A screen that is fetched when it is first wanted. */
function Lazy({ name }: { name: LazyScreen }) {
  const [loaded, setLoaded] = useState<{ name: string; Screen: FunctionComponent } | null>(null);
  useEffect(() => {
    let wanted = true;
    LAZY[name]().then((Screen) => {
      if (wanted) setLoaded({ name, Screen });
    }, complain);
    return () => {
      wanted = false;
    };
  }, [name]);
  if (loaded?.name !== name) return <main class="screen"><p class="loading">{t('loading')}</p></main>;
  const { Screen: Loaded } = loaded;
  return <Loaded />;
}

function Heading({ open }: { open: (what: 'settings' | 'help') => void }) {
  const here = route.value.screen;
  const japanese = settings.language.value === 'ja';
  return (
    <header class="heading">
      <a class="brand" href={routeHash('play')}><img src="./icon.svg" alt="" width="26" height="28" /><span>Nue <small lang="ja">鵺</small></span></a>
      <nav aria-label={t('nav.label')}>
        {SCREENS.map((screen) => (
          <a key={screen} href={routeHash(screen)} aria-current={screen === here ? 'page' : undefined} data-screen={screen}>{t(`nav.${screen}` as Key)}</a>
        ))}
      </nav>
      <div class="heading-end">
        <button type="button" class="plain for-room" lang={japanese ? 'en' : 'ja'} onClick={() => (settings.language.value = japanese ? 'en' : 'ja')} data-language>{japanese ? 'English' : '日本語'}</button>
        <button type="button" class="plain for-keyboards" aria-label={t('help.title')} title={t('help.title')} onClick={() => open('help')} data-help-open>?</button>
        <button type="button" class="plain" aria-label={t('settings.title')} title={t('settings.title')} onClick={() => open('settings')} data-settings>⚙</button>
      </div>
    </header>
  );
}

function Trouble() {
  if (failure.value) return <p class="trouble" role="alert">{refusalWords(failure.value)}</p>;
  if (hello.value && connection().link.value === 'lost') return <p class="trouble" role="status">{t('link.lost')}</p>;
  return null;
}

/** A screen that broke says so and can be begun again; the rest of the page goes on. */
function Screen({ screen }: { screen: Route['screen'] }) {
  const [broken, begin] = useErrorBoundary((cause) => console.error(cause));
  if (broken) return <main class="screen"><p class="loading">{t('error.internal')} <button type="button" onClick={begin}>{t('again')}</button></p></main>;
  return screen === 'play' ? <PlayScreen /> : <Lazy name={screen} />;
}

export function App() {
  const [asked, setAsked] = useState<'settings' | 'help' | null>(null);
  useEffect(() => shortcuts({ '?': () => setAsked('help') }), []);
  const screen = route.value.screen;
  return (
    <>
      <Heading open={setAsked} />
      <Trouble />
      {!hello.value ? <main class="screen"><p class="loading">{t('loading')}</p></main>
        : <Screen key={screen} screen={screen} />}
      <div class="unseen" role="log" aria-live="polite" data-announcement>{announcements.value.map(({ id, text }) => <p key={id}>{text}</p>)}</div>
      <Toast />
      {hovering.value && <div class="drop-here" aria-hidden="true">{t('open.drop')}</div>}
      {asked === 'settings' && <SettingsDialog close={() => setAsked(null)} />}
      {asked === 'help' && <HelpDialog close={() => setAsked(null)} />}
    </>
  );
}
