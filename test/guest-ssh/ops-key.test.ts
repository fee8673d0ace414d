import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import ssh2 from 'ssh2';
import type { Operation } from '../../server/compute/simulator/sentinels.ts';
import { type Database, one, sql } from '../../server/db/database.ts';
import { MIGRATIONS } from '../../server/db/migrate.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { resealAll } from '../../server/endpoints/operator/secrets/reseal.ts';
import { openOpsSession } from '../../server/guest-ssh/connect.ts';
import { OpsKeys } from '../../server/guest-ssh/ops-keys.ts';
import { OpsKeyReplacement } from '../../server/guest-ssh/replace-ops-key.ts';
import { Failures } from '../../server/platform/failures.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { Fixture, PURCHASE, type Scenario } from '../jobs/support/fixture.ts';

/** A stage with customers whose VMs are running, and helpers for the tests here. */
async function openEnv(t: TestContext, running: number) {
  const fixture = await Fixture.open(t);
  const scenes = await fixture.scenes(running, 'running', false);
  const { services } = fixture.installation;
  const { compute, db, opsKeys } = services;
  const replacement = new OpsKeyReplacement(services, new Failures(services));
  return {
    fixture,
    scenes,
    services,
    opsKeys,
    /** Runs one round of the background task, in which the engine may fail. */
    async round(engine?: (operation: Operation) => void) {
      fixture.trouble = engine ? { engine: (_before, operation) => engine(operation) } : {};
      await replacement.run();
      fixture.trouble = {};
    },
    /** Returns whether the guest's SSH server accepts the private key. */
    async accepts({ vmId }: Scenario, privateKey: string): Promise<boolean> {
      const sock = await compute.openSsh(vmId!);
      const client = new ssh2.Client();
      const verdict = new Promise<boolean>((resolve) => {
        client.on('ready', () => resolve(true)).on('error', () => resolve(false));
      });
      client.connect({ sock, username: 'debian', privateKey, readyTimeout: 0 });
      const accepted = await verdict;
      client.destroy();
      sock.destroy();
      return accepted;
    },
    /** Logs in like consoles and the agent. */
    async logIn({ vmId }: Scenario) {
      const client = await openOpsSession(services, (await systemFindVm(db, vmId!))!);
      client.end();
      await once(client, 'close');
    },
    async power({ customer, vmId }: Scenario, action: string) {
      await customer.must({ method: 'POST', path: `/v1/vm/${vmId}/${action}` });
      await fixture.finish();
    },
    pairs: () => opsKeys.all().then((keys) => keys.length),
  };
}

const recorded = (db: Database, { vmId }: Scenario) =>
  one<{ fingerprint: string | null }>(
    db,
    sql`select ops_key_fingerprint as fingerprint from vms where id = ${vmId}`,
  ).then(({ fingerprint }) => fingerprint);

test('a rotated ops key replaces the previous one in running guests, and no login fails in between', async (t) => {
  const env = await openEnv(t, 2);
  const { fixture, opsKeys, accepts, logIn, round } = env;
  // In the order of a round: ids of the same instant are not ordered by time.
  const [scenario, other] = env.scenes.toSorted((a, b) => (a.vmId! < b.vmId! ? -1 : 1)) as [
    Scenario,
    Scenario,
  ];
  const old = await opsKeys.current();
  assert.equal(await recorded(fixture.db, scenario), old.fingerprint);
  assert.ok(await accepts(scenario, old.privateKey));

  await opsKeys.rotate();
  const fresh = await opsKeys.current();
  assert.notEqual(fresh.fingerprint, old.fingerprint);
  const shown = await scenario.customer.must({ method: 'GET', path: '/v1/vm/ops-key' });
  assert.equal(shown.fingerprint, fresh.fingerprint);
  assert.equal(await accepts(scenario, fresh.privateKey), false);
  await logIn(scenario);
  const bought = (await fixture.scenes(1, 'running', false))[0]!;
  assert.ok(await accepts(bought, fresh.privateKey));
  assert.equal(await accepts(bought, old.privateKey), false);
  await logIn(bought);

  await round();
  for (const each of [scenario, other]) {
    assert.equal(await accepts(each, old.privateKey), false, 'the old key is refused');
    assert.ok(await accepts(each, fresh.privateKey), 'the new one is accepted');
    assert.equal(await recorded(fixture.db, each), fresh.fingerprint);
    await logIn(each);
  }
  assert.equal(await env.pairs(), 1, 'the old pair is gone');
});

test('a guest that was off keeps the old key, which still logs in, until it has run', async (t) => {
  const env = await openEnv(t, 2);
  const { opsKeys, accepts, logIn, round, power } = env;
  const [running, off] = env.scenes as [Scenario, Scenario];
  await power(off, 'force-stop');
  const old = await opsKeys.current();
  await opsKeys.rotate();
  await opsKeys.rotate();
  await round();
  assert.equal(await accepts(running, old.privateKey), false);
  assert.equal(await env.pairs(), 3, 'the pairs from the one that the guest has are kept');
  await power(off, 'start');
  await logIn(off);
  assert.ok(await accepts(off, old.privateKey));
  await round();
  assert.equal(await accepts(off, old.privateKey), false);
  await logIn(off);
  assert.equal(await env.pairs(), 1);
});

test('interrupted between adding and removing it continues, also if the key was rotated again', async (t) => {
  const env = await openEnv(t, 2);
  const { fixture, opsKeys, accepts, logIn, round } = env;
  // In the order of a round: ids of the same instant are not ordered by time.
  const [scenario, other] = env.scenes.toSorted((a, b) => (a.vmId! < b.vmId! ? -1 : 1)) as [
    Scenario,
    Scenario,
  ];
  const old = await opsKeys.current();
  await opsKeys.rotate();
  const second = await opsKeys.current();
  let cut = 0;
  await round((operation) => {
    if (operation === 'revokeKey' && cut++ === 0) throw new Error('killed');
  });
  assert.equal(cut, 2, 'the failure of one guest holds up no other');
  assert.ok(await accepts(scenario, old.privateKey));
  assert.ok(await accepts(scenario, second.privateKey));
  assert.equal(await recorded(fixture.db, scenario), old.fingerprint);
  assert.equal(await recorded(fixture.db, other), second.fingerprint);
  assert.equal(await env.pairs(), 2);
  await logIn(scenario);

  await opsKeys.rotate();
  // The first key is removed, the second is not.
  let removals = 0;
  await round((operation) => {
    if (operation === 'revokeKey' && ++removals === 2) throw new Error('killed');
  });
  await logIn(scenario);
  await logIn(other);
  await round();
  const { privateKey } = await opsKeys.current();
  for (const each of [scenario, other]) {
    assert.ok(await accepts(each, privateKey));
    for (const gone of [old, second]) assert.equal(await accepts(each, gone.privateKey), false);
  }
  assert.equal(await env.pairs(), 1);
});

test('a purchase that began before a rotation ends with the key that its guest was made with', async (t) => {
  const env = await openEnv(t, 0);
  const { fixture, opsKeys, accepts, logIn, round } = env;
  const [scenario] = (await fixture.scenes(1, 'none', false)) as [Scenario];
  const old = await opsKeys.current();
  let crashes = 0;
  let rotated: Promise<void> | undefined;
  await fixture.play(
    scenario,
    { method: 'POST', path: '/v1/vm', body: { ...PURCHASE, start: true } },
    {
      step({ step, phase }) {
        if (step !== 'create_guest' || phase !== 'after' || crashes++ > 0) return;
        rotated = opsKeys.rotate();
        return 'crash';
      },
    },
  );
  await rotated;
  assert.equal(crashes, 2);
  assert.ok(await accepts(scenario, old.privateKey));
  assert.equal(await recorded(fixture.db, scenario), old.fingerprint);
  await logIn(scenario);
  await round();
  assert.equal(await accepts(scenario, old.privateKey), false);
  await logIn(scenario);
});

test('previous pairs are sealed, and resealed with another installation key', async (t) => {
  const { fixture, opsKeys } = await openEnv(t, 1);
  const { db } = fixture;
  await opsKeys.rotate();
  const before = await opsKeys.all();
  const { text } = await one<{ text: string }>(
    db,
    sql`select value::text as text from settings where name = 'ops_key'`,
  );
  assert.doesNotMatch(text, /PRIVATE KEY/);
  const [fresh, first] = [Buffer.alloc(32, 2), Buffer.alloc(32, 1)];
  const done = await resealAll({ db, secrets: new SecretBox(fresh, first) });
  assert.ok(done.resealed >= 2 && done.unreadable === 0);
  assert.deepEqual(await (await OpsKeys.open(db, new SecretBox(fresh))).all(), before);
});

test('VMs of an older release are recorded with the key that they have', async (t) => {
  const { fixture, scenes, opsKeys } = await openEnv(t, 1);
  const { up, down } = MIGRATIONS.find(({ name }) => name === '0009-ops-key')!;
  await fixture.db.script(down, { ddl: true });
  await fixture.db.script(up, { ddl: true });
  assert.equal(await recorded(fixture.db, scenes[0]!), (await opsKeys.current()).fingerprint);
});
