import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import { openEnv } from './support/env.ts';
import { GREETING } from './support/rfb-guest.ts';
import { type ConsoleSocket, open } from './support/socket.ts';
import { waitFor } from './support/wait-for.ts';

const MINUTE_MS = 60_000;
/** The interval at which the service checks its sessions. */
const CHECK_MS = 5_000;

/** Returns the sum of a metric over all labels that `name` leaves open. */
function sumOf(metrics: string, name: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

test('consoles', async (t) => {
  const env = await openEnv(t);
  const { clock } = env;

  await t.test('a terminal logs in, echoes, resizes and runs a full-screen program', async (t) => {
    const token = await env.terminal({ cols: 100, rows: 30 });
    const terminal = await open(t, token.url, token);
    assert.equal(terminal.ws.protocol, 'vauban.ssh');
    await terminal.says('welcome 100x30\r\n$ ');
    terminal.type('top\r');
    await terminal.says('top 100x30');
    terminal.resize(120, 40);
    await terminal.says('top 120x40');
    terminal.type('exit\r');
    assert.deepEqual(await terminal.closed, { code: 1000, reason: 'The session has ended' });

    const deploy = await env.terminal({ username: 'deploy' });
    await (await open(t, deploy.url, deploy)).says('welcome 80x24');
    const mallory = await env.terminal({ username: 'mallory' });
    assert.equal((await (await open(t, mallory.url, mallory)).closed).code, 4004);
    for (const text of [
      'hello',
      '{"type":"resize","cols":0,"rows":24}',
      '{"type":"resize","cols":9999,"rows":1}',
    ]) {
      const again = await env.terminal();
      const confused = await open(t, again.url, again);
      await confused.says('welcome');
      confused.ws.send(text);
      assert.equal((await confused.closed).code, 1003);
    }
  });

  await t.test('a screen carries raw bytes, and no text', async (t) => {
    const ticket = await env.screen();
    const screen = await open(t, ticket.url, ticket);
    screen.type('echo');
    await screen.says(`${GREETING}echo`);
    screen.ws.send('text');
    assert.equal((await screen.closed).code, 1003);
  });

  const both = async (vm = env.vm, key = env.key): Promise<ConsoleSocket[]> => {
    const [screen, terminal] = [await env.screen(vm, key), await env.terminal({}, { vm, key })];
    const sockets = [await open(t, screen.url, screen), await open(t, terminal.url, terminal)];
    await sockets[0]!.says(GREETING);
    await sockets[1]!.says('welcome');
    return sockets;
  };
  const codes = async (sockets: ConsoleSocket[]) =>
    (await Promise.all(sockets.map(({ closed }) => closed))).map(({ code }) => code);

  /**
   * Advances the clock until `event` happens: the loop that should notice it may not have been sleeping at the first
   * advance.
   */
  const inTime = async <T>(event: Promise<T>): Promise<T> => {
    let happened = false;
    const noticed = event.finally(() => {
      happened = true;
    });
    while (!happened) {
      clock.advance(CHECK_MS);
      // The check also queries the database: no more time may pass until it can have received the result.
      await env.db.check();
      await setImmediate();
    }
    return noticed;
  };

  await t.test('its VM is powered off or deleted, and no other', async () => {
    const bystanders = await both(await env.newVm());
    for (const status of ['stopped', 'deleting', 'resizing', 'suspended'] as const) {
      const vm = await env.newVm();
      const sockets = await both(vm);
      await env.become({ status }, vm);
      assert.deepEqual(await codes(sockets), [4001, 4001], status);
    }
    for (const socket of bystanders) {
      assert.equal(socket.ws.readyState, socket.ws.OPEN);
      socket.ws.close();
    }
  });

  await t.test(
    'its guest hangs up: a logout while it runs, and the end of the VM when it is off',
    async () => {
      const { compute } = env.service.services;
      const { inspect } = compute;
      const hangUp = async ([screen, terminal]: ConsoleSocket[], viewer: ConsoleSocket) => {
        for (const one of [terminal!, viewer]) one.type('exit\r');
        for (const connection of env.rfb.connections) connection.destroy();
        return codes([screen!, terminal!, viewer]);
      };
      const watched = async (vm: VmRow) => {
        const share = await env.share({}, vm);
        const viewer = await open(t, share.url, share);
        await viewer.says('welcome');
        return viewer;
      };
      const running = await env.newVm();
      assert.deepEqual(await hangUp(await both(running), await watched(running)), [1000, 1000, 1000]);

      // Powered off from the inside: the engine knows before the VM's state does.
      const off = await env.newVm();
      const sockets = [await both(off), await watched(off)] as const;
      const state = { id: off.id, power: 'off', agent: false, snapshotIds: [], vcpu: 1, ramMb: 1, diskGb: 1 };
      Object.assign(compute, { inspect: async () => state });
      assert.deepEqual(await hangUp(...sockets), [4001, 4001, 4001]);
      Object.assign(compute, { inspect });

      // Shutting down: the guest ends its connections before it is off. The notification of the change is lost.
      const stopping = await env.newVm();
      const late = [await both(stopping), await watched(stopping)] as const;
      await env.db.script(`update vms set status = 'stopping' where id = '${stopping.id}'`);
      assert.deepEqual((await hangUp(...late)).slice(1), [4001, 4001]);
    },
  );

  await t.test('its key is revoked', async () => {
    const { key, row } = await env.newKey();
    const sockets = await both(env.vm, key);
    await env.revokeKey(row.id);
    assert.deepEqual(await codes(sockets), [4002, 4002]);
  });

  await t.test('a hint is lost: it is looked at every few seconds', async () => {
    const sockets = await both();
    await env.db.script(`update vms set status = 'stopped'`);
    assert.deepEqual(await inTime(codes(sockets)), [4001, 4001]);
    await env.db.script(`update vms set status = 'running'`);
  });

  await t.test('there is no traffic for 15 minutes', async () => {
    const [screen, terminal] = await both();
    clock.advance(14 * MINUTE_MS);
    terminal!.type('x');
    await terminal!.says('$ x');
    clock.advance(MINUTE_MS);
    assert.deepEqual(await inTime(codes([screen!])), [4000]);
    assert.equal(terminal!.ws.readyState, terminal!.ws.OPEN);
    terminal!.ws.close();
  });

  await t.test('the client answers no ping', async () => {
    const { url, protocols } = await env.screen();
    const screen = await open(t, url, { protocols, autoPong: false });
    await screen.says(GREETING);
    await inTime(once(screen.ws, 'ping'));
    await inTime(screen.closed);
    assert.match(await env.metrics(), /closed_total\{kind="vnc",reason="unresponsive"\} 1/);
  });

  await t.test('the engine never connects it', async () => {
    const { compute } = env.service.services;
    const { openVnc } = compute;
    Object.assign(compute, { openVnc: () => new Promise(() => {}) });
    const ticket = await env.screen();
    const screen = await open(t, ticket.url, ticket);
    assert.deepEqual(await inTime(codes([screen])), [4003]);
    Object.assign(compute, { openVnc });
  });

  await t.test('the client disconnects: its resources are closed', async () => {
    const sockets = await both();
    assert.equal(env.rfb.connections.size, 1);
    for (const { ws } of sockets) ws.terminate();
    await waitFor(() => env.rfb.connections.size === 0);
  });

  await t.test('all of it is counted', async () => {
    await waitFor(async () => sumOf(await env.metrics(), 'vauban_console_sessions{') === 0);
    const metrics = await env.metrics();
    assert.match(metrics, /vauban_console_sessions_closed_total\{kind="ssh",reason="vm_off"\} 7/);
    assert.match(metrics, /vauban_console_sessions_closed_total\{kind="vnc",reason="idle"\} 1/);
    assert.ok(sumOf(metrics, 'vauban_console_bytes_total') > 0);
  });

  await t.test('limits of a VM', async (t) => {
    const sockets: ConsoleSocket[] = [];
    for (let n = 0; n < 64; n++) {
      const ticket = await env.screen();
      sockets.push(await open(t, ticket.url, ticket));
    }
    const extra = await env.screen();
    assert.equal((await (await open(t, extra.url, extra)).closed).code, 4006);
    sockets[0]!.ws.close();
    await sockets[0]!.closed;
    const again = await env.screen();
    await (await open(t, again.url, again)).says(GREETING);
  });

  await t.test('a guest with another host key is not logged in to', async (t) => {
    const before = await env.terminal();
    await (await open(t, before.url, before)).says('welcome');
    env.ssh.replaceHostKey();
    const after = await env.terminal();
    assert.equal((await (await open(t, after.url, after)).closed).code, 4005);
  });
});

test('a service that stops tells its consoles and ends', async (t) => {
  const env = await openEnv(t);
  const [screen, terminal] = await Promise.all(
    [env.screen(), env.terminal()].map(async (ticket) => {
      const { url, protocols } = await ticket;
      return open(t, url, { protocols });
    }),
  );
  await screen!.says(GREETING);
  await terminal!.says('welcome');
  await env.service.stop();
  for (const { closed } of [screen!, terminal!]) assert.equal((await closed).code, 1001);
});
