// The watch page: the server sends the whole picture now and after every change.

import { batch, signal } from '@preact/signals';
import type { WatchCluster, WatchFleet, WatchKind, WatchLearn, WatchMatch, WatchServer } from '../net/contract';
import { connection } from '../net/socket';

interface Pictures { server: WatchServer; match: WatchMatch; learn: WatchLearn; fleet: WatchFleet; cluster: WatchCluster }
export const pictures = signal<Partial<Pictures>>({});
/** When the server's picture came, for its clocks. */
export const pictureTime = signal(0);

/** Watches until the answer is called. */
export function watch(what: WatchKind): () => void {
  const link = connection();
  const off = link.on('watch', (message) => {
    batch(() => {
      if (message.what === 'server') pictureTime.value = Date.now();
      pictures.value = { ...pictures.value, [message.what]: message.data };
    });
  });
  const again = link.onOpen(() => link.send({ type: 'watch.start', what }));
  return () => {
    off();
    again();
    link.send({ type: 'watch.stop', what });
  };
}
