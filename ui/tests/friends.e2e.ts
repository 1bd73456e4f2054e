import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickMove, expectMoves, faults, leave, NUE, openHouse, overflow, picture, visit, type House } from './harness';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => house?.close());

describe('playing a friend by link', () => {
  it('two browsers play, a third looks on, and a reload changes nothing', async () => {
    const host = await visit(house, '#/play');
    await host.locator('.new-game input[value="friend"]').check({ force: true });
    await host.locator('[data-own-name]').fill('Tsuru');
    await host.locator('.new-game input[value="black"]').check({ force: true });
    await host.locator('[data-start]').click();
    await host.locator('main[data-game] [data-waiting="true"]').waitFor();
    expect(await faults(host)).toEqual([]);
    await host.locator('[data-qr="white"]').click();
    await expect.poll(() => host.locator('.qr').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(20);
    await picture(host, 'friend-invite');
    const link = await host.locator('[data-link="white"] input').inputValue();
    const invitation = new URL(link);
    expect(invitation.origin + '/').toBe(house.address);
    const watching = new URL(await host.locator('[data-link="watch"] input').inputValue());

    const guest = await visit(house, invitation.hash, { locale: 'ja-JP' });
    await guest.locator('main[data-game] [data-waiting="false"]').waitFor();
    await host.locator('main[data-may-move="true"]').waitFor();
    expect(new URL(guest.url()).hash).not.toContain('join');
    const third = await visit(house, watching.hash, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    await third.locator('main[data-game]').waitFor();
    expect(await third.locator('[data-resign]').count()).toBe(0);
    expect(await overflow(third)).toBeLessThanOrEqual(0);
    await expect.poll(() => host.locator('.friends').getAttribute('data-spectators')).toBe('1');

    await clickMove(host, '7g7f');
    await expectMoves(guest, 1);
    await expectMoves(third, 1);
    await guest.reload();
    await guest.locator('main[data-may-move="true"]').waitFor();
    await clickMove(guest, '3c3d');
    await expectMoves(host, 2);
    expect(await guest.locator('.player-name').first().textContent()).toBe('Tsuru');

    // A move taken back by agreement, then a draw.
    await guest.locator('[data-takeback]').click();
    await host.locator('[data-offer="takeback"]').waitFor();
    await picture(host, 'friend-offer');
    expect(await faults(host)).toEqual([]);
    await host.locator('[data-agree]').click();
    await expectMoves(guest, 1);
    await clickMove(guest, '8c8d');
    await expectMoves(host, 2);
    await host.locator('[data-draw]').click();
    await guest.locator('[data-offer="draw"]').waitFor();
    await guest.locator('[data-decline]').click();
    await host.locator('[data-offer]').waitFor({ state: 'detached' });
    await host.locator('[data-draw]').click();
    await guest.locator('[data-agree]').click();
    await third.locator('[data-reason="draw"]').waitFor();
    await picture(third, 'friend-watch-phone');
    await leave(third);
    await leave(guest);
    await leave(host);
  });

  it('somebody who comes too late looks on, and who is away is seen to be', async () => {
    const host = await visit(house, '#/play');
    await host.locator('.new-game input[value="friend"]').check({ force: true });
    await host.locator('.new-game input[value="white"]').check({ force: true });
    await host.locator('[data-start]').click();
    const { hash } = new URL(await host.locator('[data-link="black"] input').inputValue());
    const guest = await visit(house, hash);
    await guest.locator('main[data-may-move="true"]').waitFor();
    const late = await visit(house, hash);
    await late.locator('.toast.bad').waitFor();
    await late.locator('main[data-game][data-may-move="false"]').waitFor();
    await guest.context().close();
    await host.locator('[data-away="black"]').waitFor();
    await leave(late);
    await leave(host);
  });
});

describe('opponents', () => {
  it('take their time where asked, and a level can follow results', async () => {
    const page = await visit(house, '#/play');
    await page.locator('.new-game input[value="level"]').check({ force: true });
    await page.locator('[data-adaptive]').check();
    await page.locator('.new-game select').filter({ has: page.locator('option[value="ranging"]') }).selectOption('ranging');
    expect(await page.locator('[data-natural]').isChecked()).toBe(true);
    await page.locator('.new-game input[value="white"]').check({ force: true });
    const begun = Date.now();
    await page.locator('[data-start]').click();
    await page.locator('main[data-may-move="true"][data-moves="1"]').waitFor();
    expect(Date.now() - begun).toBeGreaterThan(550);
    expect(await page.locator('.player-name').first().textContent()).toContain('3');
    await leave(page);
  });
});

describe('a board for the whole network', () => {
  it('prints an address with its token and a QR code; links carry both, and who comes without sees a page', async () => {
    const data = mkdtempSync(join(tmpdir(), 'nue-bind-'));
    const server = spawn(NUE, ['web', '--no-open', '--bind', '0.0.0.0', '--port', '0', '--data', join(data, 'web.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const said = await new Promise<string>((done) => {
        let text = '';
        server.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('Ctrl-C')) done(text);
        });
      });
      const [, origin, token] = /(http:\/\/[\w.:[\]]+)\/\?token=([\w-]+)/.exec(said) ?? [];
      expect(said.split('\n').filter((row) => /^[█▀▄ ]{20,}$/.test(row)).length).toBeGreaterThan(15);
      const local = `http://127.0.0.1:${new URL(origin ?? '').port}/`;
      const stranger = await fetch(local, { headers: { accept: 'text/html' } });
      expect([stranger.status, (await stranger.text()).includes('token')]).toEqual([401, true]);
      const page = await (await house.browser.newContext()).newPage();
      await page.goto(`${local}?token=${token}#/play`);
      await page.locator('.new-game input[value="friend"]').check({ force: true });
      await page.locator('[data-start]').click();
      const link = await page.locator('[data-link] input').first().inputValue();
      // As other machines know it, with what lets them in.
      expect(link.startsWith(`${origin}/?token=${token}#/play/`)).toBe(true);
      const guest = await (await house.browser.newContext()).newPage();
      await guest.goto(link.replace(origin ?? '', local.slice(0, -1)));
      await guest.locator('main[data-game] [data-waiting="false"]').waitFor();
      await page.context().close();
      await guest.context().close();
    } finally {
      server.kill();
      rmSync(data, { recursive: true, force: true });
    }
  });
});
