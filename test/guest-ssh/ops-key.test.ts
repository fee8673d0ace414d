import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import ssh2 from 'ssh2';
import type { Operation } from '../../server/compute/simulator/sentinels.ts';
import { type Database, one, sql } from '../../server/db/database.ts';
import { MIGRATIONS } from '../../server/db/migrate.ts';
import { systemFindVm } from '../../server/db/queries/vms.ts';
import { resealAll } from '../../server/endpoints/operator/secrets/reseal.ts';
import { openOpsSession } from '../../server/guest-ssh/connect.ts';
import { OpsKeys } from '../../server/guest-ssh/ops-keys.ts';
import { OpsKeyReplacement } from '../../server/guest-ssh/replace-ops-key.ts';
import { Failures } from '../../server/platform/failures.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { PURCHASE, type Scene, Stage } from '../jobs/support/stage.ts';

/** A stage with customers whose VMs are running, and what is asked of it here. */
async function openWorld(t: TestContext, running: number) {
  const stage = await Stage.open(t);
  const scenes = await stage.scenes(running, 'running', false);
  const { services } = stage.installation;
  const { compute, db, opsKeys } = services;
  const replacement = new OpsKeyReplacement(services, new Failures(services));
  return {
    stage,
    scenes,
    services,
    opsKeys,
    /** One round of the background task, in which the engine may fail. */
    async round(engine?: (operation: Operation) => void) {
      stage.trouble = engine ? { engine: (_before, operation) => engine(operation) } : {};
      await replacement.run();
      stage.trouble = {};
    },
    /** Whether the guest's SSH server lets the private key in. */
    async accepts({ vmId }: Scene, privateKey: string): Promise<boolean> {
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
    /** Logs in as consoles and the agent do. */
    async logIn({ vmId }: Scene) {
      const client = await openOpsSession(services, (await systemFindVm(db, vmId!))!);
      client.end();
      await once(client, 'close');
    },
    async power({ customer, vmId }: Scene, action: string) {
      await customer.must({ method: 'POST', path: `/v1/vm/${vmId}/${action}` });
      await stage.finish();
    },
    pairs: () => opsKeys.all().then((keys) => keys.length),
  };
}

const recorded = (db: Database, { vmId }: Scene) =>
  one<{ fingerprint: string | null }>(
    db,
    sql`select ops_key_fingerprint as fingerprint from vms where id = ${vmId}`,
  ).then(({ fingerprint }) => fingerprint);

test('a rotated ops key replaces the one before it in running guests, and no login fails meanwhile', async (t) => {
  const world = await openWorld(t, 2);
  const { stage, opsKeys, accepts, logIn, round } = world;
  // As a round takes them: ids of one instant are in no order of time.
  const [scene, other] = world.scenes.toSorted((a, b) => (a.vmId! < b.vmId! ? -1 : 1)) as [Scene, Scene];
  const old = await opsKeys.current();
  assert.equal(await recorded(stage.db, scene), old.fingerprint);
  assert.ok(await accepts(scene, old.privateKey));

  await opsKeys.rotate();
  const fresh = await opsKeys.current();
  assert.notEqual(fresh.fingerprint, old.fingerprint);
  const shown = await scene.customer.must({ method: 'GET', path: '/v1/vm/ops-key' });
  assert.equal(shown.fingerprint, fresh.fingerprint);
  assert.equal(await accepts(scene, fresh.privateKey), false);
  await logIn(scene);
  const bought = (await stage.scenes(1, 'running', false))[0]!;
  assert.ok(await accepts(bought, fresh.privateKey));
  assert.equal(await accepts(bought, old.privateKey), false);
  await logIn(bought);

  await round();
  for (const each of [scene, other]) {
    assert.equal(await accepts(each, old.privateKey), false, 'the old key is refused');
    assert.ok(await accepts(each, fresh.privateKey), 'the new one is accepted');
    assert.equal(await recorded(stage.db, each), fresh.fingerprint);
    await logIn(each);
  }
  assert.equal(await world.pairs(), 1, 'the old pair is gone');
});

test('a guest that was off keeps the old key, with which it is logged in to, until it has run', async (t) => {
  const world = await openWorld(t, 2);
  const { opsKeys, accepts, logIn, round, power } = world;
  const [running, off] = world.scenes as [Scene, Scene];
  await power(off, 'force-stop');
  const old = await opsKeys.current();
  await opsKeys.rotate();
  await opsKeys.rotate();
  await round();
  assert.equal(await accepts(running, old.privateKey), false);
  assert.equal(await world.pairs(), 3, 'the pairs from the one that the guest has are kept');
  await power(off, 'start');
  await logIn(off);
  assert.ok(await accepts(off, old.privateKey));
  await round();
  assert.equal(await accepts(off, old.privateKey), false);
  await logIn(off);
  assert.equal(await world.pairs(), 1);
});

test('cut off between adding and removing it goes on, also when the key was rotated again meanwhile', async (t) => {
  const world = await openWorld(t, 2);
  const { stage, opsKeys, accepts, logIn, round } = world;
  // As a round takes them: ids of one instant are in no order of time.
  const [scene, other] = world.scenes.toSorted((a, b) => (a.vmId! < b.vmId! ? -1 : 1)) as [Scene, Scene];
  const old = await opsKeys.current();
  await opsKeys.rotate();
  const second = await opsKeys.current();
  let cut = 0;
  await round((operation) => {
    if (operation === 'revokeKey' && cut++ === 0) throw new Error('killed');
  });
  assert.equal(cut, 2, 'the failure of one guest holds up no other');
  assert.ok(await accepts(scene, old.privateKey));
  assert.ok(await accepts(scene, second.privateKey));
  assert.equal(await recorded(stage.db, scene), old.fingerprint);
  assert.equal(await recorded(stage.db, other), second.fingerprint);
  assert.equal(await world.pairs(), 2);
  await logIn(scene);

  await opsKeys.rotate();
  // The first key is removed, the second not.
  let removals = 0;
  await round((operation) => {
    if (operation === 'revokeKey' && ++removals === 2) throw new Error('killed');
  });
  await logIn(scene);
  await logIn(other);
  await round();
  const { privateKey } = await opsKeys.current();
  for (const each of [scene, other]) {
    assert.ok(await accepts(each, privateKey));
    for (const gone of [old, second]) assert.equal(await accepts(each, gone.privateKey), false);
  }
  assert.equal(await world.pairs(), 1);
});

test('a purchase that began before a rotation ends with the key that its guest was made with', async (t) => {
  const world = await openWorld(t, 0);
  const { stage, opsKeys, accepts, logIn, round } = world;
  const [scene] = (await stage.scenes(1, 'none', false)) as [Scene];
  const old = await opsKeys.current();
  let crashes = 0;
  let rotated: Promise<void> | undefined;
  await stage.play(
    scene,
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
  assert.ok(await accepts(scene, old.privateKey));
  assert.equal(await recorded(stage.db, scene), old.fingerprint);
  await logIn(scene);
  await round();
  assert.equal(await accepts(scene, old.privateKey), false);
  await logIn(scene);
});

test('previous pairs are sealed, and sealed anew with another installation key', async (t) => {
  const { stage, opsKeys } = await openWorld(t, 1);
  const { db } = stage;
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
  const { stage, scenes, opsKeys } = await openWorld(t, 1);
  const { up, down } = MIGRATIONS.find(({ name }) => name === '0009-ops-key')!;
  await stage.db.script(down, { ddl: true });
  await stage.db.script(up, { ddl: true });
  assert.equal(await recorded(stage.db, scenes[0]!), (await opsKeys.current()).fingerprint);
});
