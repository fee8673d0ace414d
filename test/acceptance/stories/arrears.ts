import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATIONS, operationOf } from '../support/document.ts';
import type { Operator } from '../support/operator.ts';
import type { Vm } from '../support/shapes.ts';
import type { Installation } from '../support/start.ts';
import { equip, furnish, newSubject, newVm, type Subject } from '../support/world.ts';
import { LOW_LIMIT } from './limits.ts';
import { priceOfSmallest, refuse } from './refusals.ts';

/**
 * A VM that has been unpaid for weeks. A test from outside cannot advance time, so the VM's period is moved back in the
 * database while the service is stopped. A VM in error whose deletion was given up is made the same way: the service
 * would recover any other, because its guest is fine.
 */

/** Longer than a period and its grace period. */
const WEEKS_AGO = "interval '40 days'";
/** Within the grace period after the end of a period. */
const AN_HOUR_AGO = "interval '1 hour'";
/** Enough for a service whose rounds start slowly. */
const DEADLINE_MS = 120_000;

/** Often enough to lose no time, rarely enough for the rate limit. */
const POLL_MS = 50;

async function untilSuspended({ client, ids }: Subject): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  let vm: Vm;
  do {
    assert.ok(Date.now() < deadline, 'the unpaid VM was not suspended');
    await sleep(POLL_MS);
    vm = await client.ok<Vm>('getVm', { at: [ids.vm!], query: { wait_seconds: 5 } });
  } while (vm.status !== 'suspended');
}

/**
 * Provokes the refusal of every operation that an unpaid VM refuses; returns how many there are. The restarted service
 * has low rate limits, for the story about limits.
 */
export async function arrears(installation: Installation, operator: Operator, own: Subject): Promise<number> {
  const { client, location } = installation;
  const debtor = await newSubject(operator, client, { balance: await priceOfSmallest(own.client) });
  debtor.ids = await equip(debtor, 'debtor');
  const late = await newSubject(operator, client, { balance: await priceOfSmallest(own.client) });
  late.ids = await equip(late, 'late');
  // Uses its own key: the other one may already have exceeded the new limit in this minute.
  const lost = await newSubject(operator, client);
  lost.ids = await furnish(lost.client, (await newVm(lost.client, 'lost')).id);
  await installation.restart({ VAUBAN_RATE_LIMIT_KEY: `${LOW_LIMIT}` }, async () => {
    const db = await location.open();
    await db.script(`
      update vms set status = 'error', deletion_failed_at = now() where id = '${lost.ids.vm}';
      update vms set billing_period_start_at = billing_period_start_at - ${WEEKS_AGO},
        billing_period_end_at = billing_period_end_at - ${WEEKS_AGO} where id = '${debtor.ids.vm}';
      update vms set billing_period_start_at = created_at - ${WEEKS_AGO}, billing_period_end_at = created_at - ${AN_HOUR_AGO}
        where id = '${late.ids.vm}'`);
    await db.close();
  });
  await untilSuspended(debtor);
  const refusals = OPERATIONS.filter(({ codes }) => codes.includes('vm_suspended'));
  for (const operation of refusals) await refuse(operation, debtor, 'vm_suspended');
  const changes = OPERATIONS.filter(({ codes }) => codes.includes('payment_due'));
  for (const operation of changes) await refuse(operation, late, 'payment_due');
  await refuse(operationOf('deleteSnapshot'), lost, 'invalid_state');
  await debtor.client.ok('deleteVm', { at: [debtor.ids.vm!] });
  return refusals.length + changes.length + 1;
}
