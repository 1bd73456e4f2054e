// Practice: mate problems, or the mistakes of a game named in the address.

import './practise.css';
import { route } from '../route';
import { LessonScreen } from './LessonScreen';
import { TsumeScreen } from './TsumeScreen';

export function PractiseScreen() {
  const [kind, id] = route.value.rest;
  return kind === 'game' && id ? <LessonScreen key={id} game={id} /> : <TsumeScreen />;
}
