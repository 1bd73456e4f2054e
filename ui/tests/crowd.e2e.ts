// Many who come and say nothing: nobody else is kept out.

import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leave, openHouse, visit, type House } from './harness';

let house: House;
const crowd: Socket[] = [];
beforeAll(async () => {
  house = await openHouse();
});
afterAll(async () => {
  for (const socket of crowd) socket.destroy();
  await house?.close();
});

describe('1,100 connections that send half a request', () => {
  it('do not lock others out', async () => {
    const { hostname, port } = new URL(house.address);
    await Promise.all(Array.from({ length: 1100 }, () => new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write('GET / HTTP/1.1\r\nHos');
        done();
      });
      // Some are shown the door before they have said anything.
      socket.on('error', () => done());
      crowd.push(socket);
    })));
    const answer = await fetch(`${house.address}api/hello`);
    expect(answer.status).toBe(200);
    const page = await visit(house, '#/play');
    await page.locator('[data-start]').waitFor();
    await leave(page);
  });
});
