import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { withCapabilities } from '../support/capabilities.ts';
import { openEnv } from './support/env.ts';
import { GREETING } from './support/rfb-guest.ts';
import { attempt, open } from './support/socket.ts';

test('tickets', async (t) => {
  const env = await openEnv(t);
  const { clock, db, vm } = env;

  await t.test('a ticket states its target, and is stored only as a hash', async () => {
    const data = await env.ask('GET', `/v1/vm/${vm.id}/console`);
    assert.deepEqual(data, {
      protocol: 'vnc',
      ws_url: `${env.baseUrl.replace('http', 'ws')}/console/${vm.id}/vnc`,
      ticket: data.ticket,
      password: null,
      expires_at: new Date(clock.now().getTime() + 60_000).toISOString(),
      expires_in_seconds: 60,
      single_use: true,
    });
    const token = await env.ask('POST', `/v1/vm/${vm.id}/ssh-token`, { username: 'deploy' });
    assert.equal(token.username, 'deploy');
    const everything = await db.query<{ row: string }>(
      sql`select row_to_json(t)::text as row from console_tickets t union all select row_to_json(e)::text from events e`,
    );
    for (const { row } of everything) assert.ok(!row.includes(data.ticket) && !row.includes(token.token));
    const events = await env.ask('GET', `/v1/vm/${vm.id}/events`);
    const types = events.map(({ type }: { type: string }) => type);
    assert.deepEqual(types.sort(), ['console.ticket_issued', 'console.token_issued']);
  });

  await t.test('without screens in the engine there is neither a ticket nor an event', async () => {
    const error = await withCapabilities(env.service.services.compute, { screen: 'none' }, () =>
      env.ask('GET', `/v1/vm/${vm.id}/console`, undefined, { status: 409 }),
    );
    assert.equal(error.code, 'invalid_state');
    assert.equal((await env.ask('GET', `/v1/vm/${vm.id}/events`)).length, 2);
  });

  await t.test('it opens one socket, by either way of sending it', async () => {
    for (const place of ['protocol', 'bearer', 'query'] as const) {
      const { url, secret } = await env.screen();
      const target = place === 'query' ? `${url}?ticket=${secret}` : url;
      const options = {
        protocols: place === 'protocol' ? ['binary', secret] : [],
        ...(place === 'bearer' && { headers: { authorization: `Bearer ${secret}` } }),
      };
      const socket = await open(t, target, options);
      assert.equal(socket.ws.protocol, place === 'protocol' ? 'binary' : '');
      await socket.says(GREETING);
      assert.equal(await attempt(t, target, options), 404, 'a second time it opens nothing');
      socket.ws.close();
    }
  });

  await t.test('of two simultaneous upgrades one wins', async () => {
    for (let round = 0; round < 10; round++) {
      const { url, protocols } = await env.screen();
      const results = await Promise.all([1, 2, 3].map(() => attempt(t, url, { protocols })));
      const winners = results.filter((result) => typeof result !== 'number');
      assert.equal(winners.length, 1);
      winners[0]!.ws.close();
    }
  });

  await t.test('it expires after a minute', async () => {
    const [early, late] = [await env.screen(), await env.screen()];
    clock.advance(59_999);
    await open(t, early.url, early);
    clock.advance(1);
    assert.equal(await attempt(t, late.url, late), 404);
  });

  await t.test('it is valid only for its VM and its kind, and is gone after an attempt', async () => {
    const other = await env.newVm();
    const { url, protocols } = await env.screen();
    assert.equal(await attempt(t, url.replace(vm.id, other.id), { protocols }), 404);
    assert.equal(await attempt(t, url, { protocols }), 404);
    const screen = await env.screen();
    assert.equal(await attempt(t, screen.url.replace('/vnc', '/ssh'), screen), 404);
    assert.equal(await attempt(t, screen.url), 404, 'nothing presented');
  });

  await t.test('the key and the VM are looked at again when it is used', async () => {
    const { key, row } = await env.newKey();
    const ofKey = await env.screen(vm, key);
    await env.revokeKey(row.id);
    assert.equal(
      await attempt(t, ofKey.url, ofKey),
      404,
      'before the upgrade, as every ticket that opens nothing',
    );
    const ofVm = await env.terminal();
    await env.become({ status: 'stopping' });
    assert.equal((await (await open(t, ofVm.url, ofVm)).closed).code, 4001);
    const screen = await env.screen();
    assert.ok(await open(t, screen.url, screen), 'a VM that is stopping has a screen');
    await env.become({ status: 'stopped' });
    await env.ask('GET', `/v1/vm/${vm.id}/console`, undefined, { status: 409 });
    await env.ask('POST', `/v1/vm/${vm.id}/ssh-token`, {}, { status: 409 });
    await env.become({ status: 'running' });
  });

  await t.test('a browser has to come from our own pages', async () => {
    const { url, protocols } = await env.screen();
    for (const origin of ['https://evil.example', 'null', `${env.baseUrl}.evil.example`]) {
      assert.equal(await attempt(t, url, { protocols, headers: { origin } }), 404);
    }
    await open(t, url, { protocols, headers: { origin: env.baseUrl } });
  });

  await t.test('a request that is not a WebSocket is answered as usual', async () => {
    const { url } = await env.screen();
    assert.equal((await fetch(url.replace('ws', 'http'))).status, 400);
    const upgrade = (path: string, protocol: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { connection: 'Upgrade', upgrade: protocol, authorization: `Bearer ${env.key}` };
        const asking = request(`${env.baseUrl}${path}`, { headers, agent: false });
        asking.on('response', (response) => resolve(response.resume().statusCode!)).on('error', reject);
        asking.end();
      });
    assert.equal(await upgrade('/v1/vm', 'h2c'), 200, 'some clients ask with every request');
    assert.equal(await upgrade('/v1/vm', 'websocket'), 200);
    assert.equal(await upgrade('/console/x/vnc', 'h2c'), 400);
    assert.equal(await upgrade('/share/nothing/here', 'websocket'), 404);
  });
});

test('a network that guesses is slowed down, and the holder of a ticket is not', async (t) => {
  const env = await openEnv(t, { env: { VAUBAN_RATE_LIMIT_IP: '3' } });
  const { url, protocols } = await env.screen();
  const guess = ['binary', `vct_${'x'.repeat(43)}`];
  for (const status of [404, 404, 404, 429]) {
    assert.equal(await attempt(t, url, { protocols: guess }), status);
  }
  const share = await env.share();
  await open(t, url, { protocols });
  await open(t, share.url, share);
  assert.equal(await attempt(t, url, { protocols: guess }), 429);
});
