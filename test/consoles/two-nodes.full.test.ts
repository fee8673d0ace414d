import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { newCustomer, operate } from '../chaos/support/customer.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { attempt, open } from './support/socket.ts';

test('a decision of one node ends the consoles of the other', { skip: skipWithoutPostgres }, async (t) => {
  const location = await freshDatabaseLocation(t);
  const env = { VAUBAN_SIMULATOR_BOOT_SECONDS: '0', ...SHARED_SETTINGS };
  const a = await startService(t, { location, env });
  const b = await startService(t, { location: await forAnotherNode(t, location), env });
  const customer = await newCustomer(a);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web',
  });
  await customer.settled(vm.id);
  const path = `/v1/vm/${vm.id}`;
  const onB = (url: string) => url.replace(/\/\/[^/]+/, `//${new URL(b.baseUrl).host}`);

  const { ws_url, ticket } = await customer.ask('GET', `${path}/console`);
  const protocols = ['binary', ticket];
  const both = await Promise.all([attempt(t, ws_url, { protocols }), attempt(t, onB(ws_url), { protocols })]);
  assert.equal(both.filter((result) => typeof result !== 'number').length, 1, 'one ticket, one socket');

  const share = await customer.ask('POST', `${path}/console-shares`, { mode: 'read_only', max_viewers: 1 });
  const [page, secret] = share.url.split('#');
  const viewer = { url: `${page.replace('http', 'ws')}/socket`, protocols: ['vauban.share', secret] };
  const watching = await open(t, onB(viewer.url), viewer);
  await watching.says('debian@web');
  assert.equal((await (await open(t, viewer.url, viewer)).closed).code, 4007, 'seats are counted over both');
  await customer.ask('DELETE', `${path}/console-shares/${share.id}`);
  assert.equal((await watching.closed).code, 4002);

  const token = await customer.ask('POST', `${path}/ssh-token`, {});
  const terminal = await open(t, onB(token.ws_url), { protocols: ['vauban.ssh', token.token] });
  await terminal.says('debian@web');
  await operate(a, `/keys/${customer.keyId}/revoke`, {});
  assert.equal((await terminal.closed).code, 4002);
});
