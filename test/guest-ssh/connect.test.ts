import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type ssh2 from 'ssh2';
import { sql } from '../../server/db/database.ts';
import { HostKeyChangedError, OpsSessionError, openOpsSession } from '../../server/guest-ssh/connect.ts';
import { startSshGuest } from '../consoles/support/ssh-guest.ts';
import { makeVm, openApi } from '../network/support.ts';

function run(client: ssh2.Client, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.exec(command, (error, channel) => (error ? reject(error) : resolve(text(channel))));
  });
}

const becomes = (reason: OpsSessionError['reason']) => (error: unknown) =>
  error instanceof OpsSessionError && error.reason === reason;

test('the ops session', async (t) => {
  const { services, accountId, ...rest } = await openApi(t);
  const vm = await makeVm({ services, accountId, ...rest });
  const { clock, db, opsKeys } = services;
  const guest = await startSshGuest(t, {
    authorizedKeys: [(await opsKeys.current()).publicKey],
    users: ['debian', 'deploy'],
  });
  const compute = { ...services.compute, openSsh: guest.open };
  const parts = { ...services, compute };

  await t.test('logs in as the default user, or as another user who accepts the key', async () => {
    for (const username of [undefined, 'deploy']) {
      const client = await openOpsSession(parts, vm, undefined, username);
      assert.equal(await run(client, 'uptime'), 'ran uptime\n');
      client.end();
      await once(client, 'close');
    }
    await assert.rejects(openOpsSession(parts, vm, undefined, 'mallory'), becomes('refused'));
  });

  await t.test('pins the host key at first contact and refuses a changed one', async () => {
    const [pinned] = await db.query<{ fingerprint: string }>(sql`select fingerprint from guest_host_keys`);
    guest.replaceHostKey();
    const logins = guest.logins;
    await assert.rejects(openOpsSession(parts, vm), (error) => {
      assert.ok(error instanceof HostKeyChangedError);
      assert.equal(error.pinned, pinned!.fingerprint);
      return true;
    });
    assert.equal(guest.logins, logins, 'no login to a stranger');
    assert.deepEqual(await db.query(sql`select fingerprint from guest_host_keys`), [pinned]);
    await db.query(sql`delete from guest_host_keys`);
  });

  await t.test('a silent guest is given up', async () => {
    const spoken = Promise.withResolvers<void>();
    const silent = new Duplex({ read() {}, write: () => spoken.resolve() });
    const opening = openOpsSession({ ...parts, compute: { ...compute, openSsh: async () => silent } }, vm);
    await spoken.promise;
    clock.advance(20_000);
    await assert.rejects(opening, becomes('timeout'));
    const never = new Promise<never>(() => {});
    const waiting = openOpsSession({ ...parts, compute: { ...compute, openSsh: () => never } }, vm);
    clock.advance(20_000);
    await assert.rejects(waiting, becomes('timeout'));
    assert.ok(silent.destroyed);
  });

  await t.test('a signal ends it, under way or open', async () => {
    const control = new AbortController();
    const early = openOpsSession(parts, vm, control.signal);
    control.abort(new Error('enough'));
    await assert.rejects(early, /enough/);
    const later = new AbortController();
    const client = await openOpsSession(parts, vm, later.signal);
    const closed = once(client, 'close');
    later.abort();
    await closed;
  });

  await t.test('a guest with nothing on port 22 is unreachable', async () => {
    const openSsh = () => Promise.reject(new Error('no route'));
    await assert.rejects(
      openOpsSession({ ...parts, compute: { ...compute, openSsh } }, vm),
      becomes('unreachable'),
    );
  });
});
