// How long the first view takes, measured on request on a machine that has nothing else to do:
//
//   NUE_FIRST=20 NUE=../target/release/nue npm run e2e -- first

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leave, openHouse, visit, type House } from './harness';

const visits = Number(process.env.NUE_FIRST ?? 0);
let house: House;
beforeAll(async () => {
  if (visits > 0) house = await openHouse();
});
afterAll(async () => house?.close());

/** Notes when the board stands and the form can be used, in milliseconds after the address was entered. */
function notice(): void {
  const seen = window as unknown as { firstView?: number };
  const look = (): void => {
    if (seen.firstView === undefined && document.querySelector('sg-board') && document.querySelector('[data-start]')) {
      // Two frames later it is on the screen.
      requestAnimationFrame(() => requestAnimationFrame(() => { seen.firstView ??= performance.now(); }));
    }
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

describe.skipIf(visits === 0)('the first view', () => {
  it('stands within 0.6 s', async () => {
    const times: number[] = [];
    for (let n = 0; n < visits; n += 1) {
      // Nothing is kept from one visitor to the next: each has a context of their own.
      const page = await visit(house, 'NOTICES.txt');
      await page.addInitScript(notice);
      await page.goto(house.address);
      const time = await page.waitForFunction(() => (window as unknown as { firstView?: number }).firstView);
      times.push(Number(await time.jsonValue()));
      await leave(page);
    }
    times.sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)] ?? Infinity;
    console.log(`first view: ${times.map(Math.round).join(' ')} ms, median ${Math.round(median)} ms`);
    expect(median).toBeLessThanOrEqual(600);
  }, 300000);
});
