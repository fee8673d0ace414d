// Needs: root, Incus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { MEMBERS } from '../../support/incus/layout.ts';
import { Cloud, greets, PATIENCE, type Vm } from './cloud.ts';

const VMS = 6;
const LOOK_MS = 100;
/** A guest that takes longer to answer counts as absent. Even on a busy machine a running guest answers sooner. */
const ANSWER_MS = 700;

const cluster = await inCluster(import.meta.filename);

if (cluster) {
  test('each member is drained while customers continue, and no VM is lost', PATIENCE, async (t) => {
    const cloud = await Cloud.start(t, cluster);
    const vms = await cloud.buy(VMS);
    for (const { ipv4 } of vms) await cloud.greeting(ipv4);
    const over = new AbortController();
    const keys = await Promise.all(vms.map(({ ipv4 }) => hostKey(ipv4)));
    const absences = Promise.all(vms.map((vm) => absencesOf(vm, over.signal)));
    const others = trade(cloud, over.signal);
    for (const member of MEMBERS) await cloud.drain(member);
    over.abort();
    const traded = await others;
    const gone = (await absences).flat();
    for (const vm of vms) await cloud.assertSame(vm);
    assert.deepEqual(await Promise.all(vms.map(({ ipv4 }) => hostKey(ipv4))), keys);
    const moves = await Promise.all(
      vms.map(
        async ({ id }) => (await cloud.customer.ask('GET', `/v1/vm/${id}/events?type=vm.moved`)).length,
      ),
    );
    const count = moves.reduce((sum, each) => sum + each, 0);
    assert.ok(count >= VMS, `${count} moves`);
    const sorted = gone.toSorted((a, b) => a - b);
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    const [median, longest] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
    cloud.note('VM moved by a drain', count, 'its addresses, its host key, billed once');
    cloud.note('absence of a VM', gone.length, `median ${seconds(median)} s, longest ${seconds(longest)} s`);
    cloud.note('VM bought and deleted meanwhile', traded, 'all of them');
    await cloud.remove(vms.map(({ id }: Vm) => id));
    await cloud.assertSound();
    cloud.print(t);
  });
}

/** Returns for how long a guest did not answer, each time, in milliseconds. */
async function absencesOf({ ipv4 }: Vm, over: AbortSignal): Promise<number[]> {
  const absences: number[] = [];
  let last = performance.now();
  let isGone = false;
  while (!over.aborted || isGone) {
    const answers = await greets(ipv4, ANSWER_MS);
    const now = performance.now();
    if (answers && isGone) absences.push(now - last);
    if (answers) last = now;
    isGone = !answers;
    await sleep(LOOK_MS);
  }
  return absences;
}

/** Buys and deletes one VM after another; returns how many. */
async function trade(cloud: Cloud, over: AbortSignal): Promise<number> {
  let traded = 0;
  for (; !over.aborted; traded++) await cloud.remove([(await cloud.buy(1))[0].id]);
  return traded;
}

function hostKey(host: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const client = new ssh2.Client();
  const hostVerifier = (key: Buffer) => {
    resolve(key.toString('base64'));
    return false;
  };
  client.on('error', reject).connect({ host, username: 'root', password: '', hostVerifier });
  return promise.finally(() => client.destroy());
}
