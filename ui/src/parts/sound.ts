// Sounds, made when they are wanted: wood on wood for a move, a bell for one's turn, beeps for the
// last seconds. Nothing is fetched. A browser lets a page sound only after a click or a key; before
// that nothing is heard, and nothing is saved up.

import { settings } from '../settings';

export type Sound = 'piece' | 'turn' | 'tick' | 'last' | 'end';

let context: AudioContext | undefined;

function audio(): AudioContext | null {
  const level = Number(settings.volume.value) / 100;
  if (level === 0 || typeof AudioContext === 'undefined' || navigator.userActivation?.hasBeenActive === false) return null;
  context ??= new AudioContext();
  if (context.state === 'suspended') void context.resume();
  return context;
}

/** Falls from a height to nothing within so many seconds. */
function envelope(at: AudioContext, height: number, seconds: number, begin: number): GainNode {
  const gain = at.createGain();
  gain.gain.setValueAtTime(height * (Number(settings.volume.value) / 100), begin);
  gain.gain.exponentialRampToValueAtTime(0.0001, begin + seconds);
  gain.connect(at.destination);
  return gain;
}

function tone(at: AudioContext, hertz: number, seconds: number, height: number, later = 0): void {
  const begin = at.currentTime + later;
  const source = at.createOscillator();
  source.frequency.setValueAtTime(hertz, begin);
  source.connect(envelope(at, height, seconds, begin));
  source.start(begin);
  source.stop(begin + seconds);
}

/** A piece set down: a click of noise, and the board answering below it. */
function knock(at: AudioContext): void {
  const length = Math.floor(at.sampleRate * 0.05);
  const buffer = at.createBuffer(1, length, at.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let n = 0; n < length; n++) samples[n] = (Math.random() * 2 - 1) * (1 - n / length) ** 6;
  const source = at.createBufferSource();
  const filter = at.createBiquadFilter();
  filter.type = 'bandpass';
  filter.frequency.value = 2400;
  filter.Q.value = 0.8;
  source.buffer = buffer;
  source.connect(filter);
  filter.connect(envelope(at, 0.9, 0.06, at.currentTime));
  source.start();
  tone(at, 420, 0.09, 0.35);
  tone(at, 950, 0.05, 0.25);
}

export function sound(name: Sound): void {
  const at = audio();
  if (!at) return;
  if (name === 'piece') knock(at);
  if (name === 'turn') tone(at, 1320, 0.25, 0.12, 0.12);
  if (name === 'tick') tone(at, 880, 0.08, 0.2);
  if (name === 'last') tone(at, 1175, 0.12, 0.3);
  if (name === 'end') for (const [index, hertz] of [659, 523, 440].entries()) tone(at, hertz, 0.4, 0.15, index * 0.16);
}

/** What sounds as a clock goes from so many whole seconds left to fewer; nothing but in the last ten. */
export function countdown(before: number, now: number): Sound | null {
  if (now >= before || now < 1 || now > 10) return null;
  if (now <= 5) return 'last';
  return now === 10 || now <= 8 ? 'tick' : null;
}
