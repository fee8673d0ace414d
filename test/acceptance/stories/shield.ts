import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { newVm, protect, type Subject } from '../support/world.ts';

/** Polling interval in real time: the service itself looks for attacks once per second. */
const POLL_MS = 200;

interface Target {
  id: string;
  ip: string;
  status: string;
  rules_count: number;
  vm_id: string;
}

interface Rule {
  id: string;
  origin: string;
  status: string;
  protocol: string;
}

interface Attack {
  status: string;
  vectors: string[];
  mitigated_at: string | null;
}

/** Polls until the reply is as wanted; the test runner's timeout ends a futile wait. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    await sleep(POLL_MS);
  }
}

/** Protects an address, adds rules for its traffic, and lets an attack on it be dropped. */
export async function shield(subject: Subject): Promise<void> {
  const { client, operator } = subject;
  const vm = await newVm(client, 'shielded');
  const ids = await protect(subject, vm.ipv4!);
  const [tenant, target] = [ids.tenants!, ids.targets!];

  const { shield_tenant_ids } = await client.ok<{ shield_tenant_ids: string[] }>('getBillingSummary');
  assert.deepEqual(shield_tenant_ids, [tenant]);
  const [nic] = await client.ok<{ ips: { address: string; shield: object | null }[] }[]>('listNics', {
    at: [vm.id],
  });
  const own = nic!.ips.find(({ address }) => address === vm.ipv4);
  assert.deepEqual(own!.shield, { tenant_id: tenant, target_id: target });
  const listed = await client.ok<Target[]>('listShieldTargets', { at: [tenant] });
  assert.deepEqual(
    listed.map(({ id, ip, vm_id, rules_count }) => ({ id, ip, vm_id, rules_count })),
    [{ id: target, ip: vm.ipv4, vm_id: vm.id, rules_count: 1 }],
  );

  const rules = () => client.ok<Rule[]>('listShieldRules', { at: [tenant, target] });
  await until(rules, (all) => all.every(({ status }) => status === 'active'));
  const rid = ids.rules!;
  assert.deepEqual(await client.ok('deleteShieldRule', { at: [tenant, target, rid] }), {
    id: rid,
    deleted: true,
  });
  assert.deepEqual(await rules(), []);

  await operator.attack(target, { vector: 'syn_flood', pps: 500_000, seconds: 3_600 });
  const attacks = () => client.ok<Attack[]>('listAttackEvents', { at: [tenant, target] });
  const [attack] = await until(attacks, ([first]) => first?.mitigated_at != null);
  assert.deepEqual([attack!.status, attack!.vectors], ['ongoing', ['syn_flood']]);
  const [rule] = await rules();
  assert.deepEqual([rule!.origin, rule!.protocol], ['automatic', 'tcp']);
  const summary = await client.ok<Record<string, unknown>>('getShieldSummary', { at: [tenant] });
  assert.deepEqual([summary.status, summary.active_attacks, summary.rules_limit], ['under_attack', 1, 50]);
  await operator.endAttacks(target);
  await client.ok('getEdgeTraffic', { at: [tenant], query: { target_id: target } });

  await client.ok('deleteVm', { at: [vm.id] });
  await until(
    () => client.ok<Target[]>('listShieldTargets', { at: [tenant] }),
    (all) => all.length === 0,
  );
  await client.refused('listShieldRules', 'not_found', { at: [tenant, target] });
}
