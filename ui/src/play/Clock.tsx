// A clock face that counts down by itself; the server alone decides when time is up.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Color, Game } from '../net/contract';
import { t } from '../i18n';
import { clockText } from '../parts/format';
import { countdown, sound } from '../parts/sound';
import { received } from './state';

export function Clock({ game, color }: { game: Game; color: Color }) {
  const running = game.clocks?.running === color;
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    setNow(performance.now());
    if (!running) return;
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, [running, received.value]);
  const face = game.clocks?.[color];
  // The last seconds are counted aloud: of the visitor's own clock, and where the time would be lost.
  const counted = useRef(Infinity);
  const mine = running && (game.you === color || game.you === 'both');
  useEffect(() => {
    if (!mine || !face) return void (counted.current = Infinity);
    const rest = face.ms - Math.max(0, now - received.value);
    const last = face.byoyomi || !game.clock?.byoyomi ? rest : rest + game.clock.byoyomi * 1000;
    const seconds = Math.ceil(last / 1000);
    const heard = countdown(counted.current, seconds);
    if (heard) sound(heard);
    counted.current = seconds;
  }, [now, mine]);
  if (!face || !game.clock) return null;
  let left = face.ms - (running ? Math.max(0, now - received.value) : 0);
  let byoyomi = face.byoyomi;
  if (left < 0 && !byoyomi && game.clock.byoyomi > 0) {
    left += game.clock.byoyomi * 1000;
    byoyomi = true;
  }
  const low = left < 10000 && running;
  return (
    <span class={`clock ${running ? 'running' : ''} ${low ? 'low' : ''}`} role="timer" aria-label={t('clock.label')}>
      {byoyomi && <small>{t('clock.byoyomi')}</small>}
      {clockText(left)}
      {!byoyomi && game.clock.byoyomi > 0 && <small>+{game.clock.byoyomi}{t('seconds')}</small>}
      {game.clock.increment > 0 && <small>+{game.clock.increment}{t('seconds')}</small>}
    </span>
  );
}
