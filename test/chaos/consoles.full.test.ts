import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt, type ConsoleSocket, open } from '../consoles/support/socket.ts';
import { startService } from '../support/service.ts';
import { newCustomer } from './support/customer.ts';

/** Tickets in use when the service dies. */
const TICKETS = 20;

test('a ticket opens one socket even if the service dies while it is used; a share survives', async (t) => {
  const env = { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' };
  const service = await startService(t, { env });
  const customer = await newCustomer(service);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web' };
  const { vm } = await customer.ask('POST', '/v1/vm', order);
  await customer.settled(vm.id);
  const path = `/v1/vm/${vm.id}`;
  const tickets: { url: string; protocols: string[] }[] = [];
  for (let n = 0; n < TICKETS; n++) {
    const { ws_url, ticket } = await customer.ask('GET', `${path}/console`);
    tickets.push({ url: ws_url, protocols: ['binary', ticket] });
  }
  const share = await customer.ask('POST', `${path}/console-shares`, { mode: 'read_only' });
  const revoked = await customer.ask('POST', `${path}/console-shares`, { mode: 'read_only' });
  const [page, secret] = share.url.split('#');
  const viewer = { url: `${page.replace('http', 'ws')}/socket`, protocols: ['vauban.share', secret] };
  await (await open(t, viewer.url, viewer)).says('web');
  await customer.ask('DELETE', `${path}/console-shares/${revoked.id}`);

  const opened = new Set<number>();
  const first = Promise.withResolvers<void>();
  for (const [at, { url, protocols }] of tickets.entries()) {
    attempt(t, url, { protocols }).then(
      (result) => {
        if (typeof result !== 'number') opened.add(at);
        first.resolve();
      },
      () => {},
    );
  }
  await first.promise;
  await service.kill();

  const again = await startService(t, { env, location: service.location });
  customer.target = again;
  const here = (url: string) => url.replace(/\/\/[^/]+/, `//${new URL(again.baseUrl).host}`);
  for (const [at, { url, protocols }] of tickets.entries()) {
    const results = [
      await attempt(t, here(url), { protocols }),
      await attempt(t, here(url), { protocols }),
    ] as const;
    const sockets = results.filter((result): result is ConsoleSocket => typeof result !== 'number');
    assert.ok(sockets.length + Number(opened.has(at)) <= 1, `ticket ${at} opened two sockets`);
    for (const { ws } of sockets) ws.close();
  }
  assert.ok(opened.size > 0);
  await (await open(t, here(viewer.url), viewer)).says('web');
  const listed = await customer.ask('GET', `${path}/console-shares`);
  assert.deepEqual(
    listed.map(({ id }: { id: string }) => id),
    [share.id],
  );
});
