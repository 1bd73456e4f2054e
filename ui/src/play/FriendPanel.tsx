// Beside the board of a game between two browsers: who is here, invitations, offers.

import { useState } from 'preact/hooks';
import type { Color, Game } from '../net/contract';
import { colorName } from '../board/announce';
import { isHandicap } from '../board/shogi';
import { t } from '../i18n';
import { copied } from '../parts/copy';
import { asked, inviteLink, reachable, watchLink } from './friends';
import { reply } from './state';

/** An address to hand on: to be copied, or read by the camera of a phone. */
function Link({ label, address, name }: { label: string; address: string; name: string }) {
  const [shown, setShown] = useState(false);
  return (
    <div class="friend-link" data-link={name}>
      <label class="field">
        <span>{label}</span>
        <input type="text" readOnly value={address} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <div class="actions">
        <button type="button" class="small" onClick={() => void copied(address)} data-copy={name}>{t('export.copy')}</button>
        <button type="button" class="small" aria-expanded={shown} onClick={() => setShown(!shown)} data-qr={name}>{t('friend.qr')}</button>
      </div>
      {shown && <img class="qr" src={`./api/qr?text=${encodeURIComponent(address)}`} alt={t('friend.qralt')} width="220" height="220" />}
    </div>
  );
}

function Offer({ game }: { game: Game }) {
  const wanted = asked(game);
  const offer = game.friends?.offer;
  if (!wanted) return offer && game.you !== 'watch' ? <p class="faint" data-offer="mine">{t(`friend.waits.${offer.what}`)}</p> : null;
  return (
    <div class="offer" role="group" aria-label={t(`friend.asks.${wanted}`)} data-offer={wanted}>
      <strong>{t(`friend.asks.${wanted}`)}</strong>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void reply(true)} data-agree>{t('friend.agree')}</button>
        <button type="button" onClick={() => void reply(false)} data-decline>{t('friend.decline')}</button>
      </div>
    </div>
  );
}

export function FriendPanel({ game }: { game: Game }) {
  const friends = game.friends;
  if (!friends) return null;
  const handicap = isHandicap(game.start);
  const open = (['black', 'white'] as Color[]).map((color) => ({ color, address: inviteLink(game, color) })).filter(({ address }) => address !== null);
  const waiting = !friends.black.taken || !friends.white.taken;
  return (
    <section class="friends" aria-label={t('friend.title')} data-spectators={friends.spectators} data-waiting={String(waiting)}>
      {waiting && game.status === 'playing' && <p><strong>{open.length ? t('friend.invite') : t('friend.waiting')}</strong></p>}
      {waiting && !reachable() && open.length > 0 && <p class="faint">{t('friend.alone')}</p>}
      {game.status === 'playing' && open.map(({ color, address }) => <Link key={color} name={color} label={t('friend.side', { side: colorName(color, handicap) })} address={address ?? ''} />)}
      <Offer game={game} />
      <details class="rules">
        <summary>{t('friend.spectators', { n: friends.spectators })}</summary>
        <Link name="watch" label={t('friend.watchlink')} address={watchLink(game)} />
      </details>
    </section>
  );
}
