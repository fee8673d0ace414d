import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { orderOf, storedVm, withLedger } from '../billing/support.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

const DAY_MS = 86_400_000;

test('an outage is reported, listed and credited to any number of VMs', async (t) => {
  const { catalog, clock, dataDir, db, get, newAccount, post } = await startOperator(t);
  const id = await newAccount();
  await post(`/accounts/${id}/credits`, { amount: '1000.00' });
  const vms = 120;
  for (let count = 0; count < vms; count++) {
    const vm = await storedVm(db, clock, id);
    const wish = orderOf(clock, vm, 399n);
    const [line] = wish.charge.lines;
    const { billing_period_start_at: from_at, billing_period_end_at: to_at } = vm;
    const charge = { ...wish.charge, lines: [{ ...line!, from_at, to_at }] };
    await withLedger(db, clock, (ledger) => settleNow(ledger, { ...wish, kind: 'create', charge }));
  }
  clock.advance(10 * DAY_MS);
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const wish = ['outage', 'add', '--region', 'eu-central', '--from', '2026-01-02T12:00:00Z'];
  wish.push('--to', '2026-01-02T14:00:00Z', '--reason', 'power cut', '--key', 'power');
  const added = await ctl(...wish);
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, /^where: +eu-central$/m);
  assert.match(added.stdout, /^status: +open$/m);
  assert.equal((await ctl(...wish)).stdout, added.stdout, 'reported once');
  const [outage] = /out_\w+/.exec(added.stdout)!;

  const unruled = await ctl('adjustment', 'sla', '--outage', outage);
  assert.equal(unruled.code, 1);
  assert.match(unruled.stderr, /has no `sla`/);
  catalog.sla = { credits: [{ uptime_below: '99.9', percent: 10 }] };
  const [part, again] = await Promise.all([
    post(`/outages/${outage}/credit`),
    post(`/outages/${outage}/credit`),
  ]);
  assert.deepEqual([part.status, again.status], [200, 200], part.text + again.text);
  assert.equal(part.json().data.status, 'crediting', 'a request does a part of it');
  const credited = await ctl('adjustment', 'sla', '--outage', outage);
  assert.equal(credited.code, 0, credited.stderr);
  assert.match(credited.stdout, /^status: +credited$/m);
  assert.match(credited.stdout, /^vms: +120$/m);
  assert.match(credited.stdout, /^credited: +48\.00 EUR$/m);
  assert.equal((await ctl('adjustment', 'sla', '--outage', outage)).stdout, credited.stdout);
  assert.equal(
    (await get(`/accounts/${id}`)).json().data.wallet.available_minor,
    100_000 - vms * 399 + vms * 40,
  );
  const list = await ctl('outage', 'list');
  assert.match(list.stdout, /^ID +WHERE +FROM +TO +STATUS +VMS +CREDITED +REASON +BY\n/);
  assert.match(list.stdout, /eu-central .* credited +120 +48\.00 EUR +power cut +\S/);
  const [made] = JSON.parse((await ctl('adjustment', 'list', id, '--json')).stdout);
  assert.deepEqual(
    [made.type, made.amount_minor, made.reason, made.actor, made.outage_id],
    ['sla_credit', -40, 'power cut', userInfo().username, outage],
  );
  const log = (await get('/log')).json().data;
  assert.ok(log.some(({ request }: { request: string }) => request === `POST /outages/${outage}/credit`));
  assert.deepEqual(await auditNow(db), []);
});

test('an invalid outage is refused by its field', async (t) => {
  const { clock, db, get, newAccount, post } = await startOperator(t);
  const { id: vm_id } = await storedVm(db, clock, await newAccount());
  const sense = { from: '2025-12-31T00:00:00Z', to: '2025-12-31T01:00:00Z', reason: 'power cut' };
  const region = 'eu-central';
  for (const [body, field] of [
    [sense, /region/],
    [{ ...sense, region, vm_id }, /either region or vm_id/],
    [{ ...sense, region: 'moon' }, /region/],
    [{ ...sense, vm_id: 'vm_0' }, /vm_id/],
    [{ ...sense, region, to: sense.from }, /later than `from`/],
    [{ ...sense, region, to: '2026-01-01T00:00:00.001Z' }, /in the future/],
    [{ ...sense, region, from: 'yesterday' }, /from/],
    [{ ...sense, region, reason: '\u202eevil' }, /reason/],
    [{ ...sense, region, reason: undefined }, /reason/],
  ] as const) {
    const refused = await post('/outages', body);
    assert.equal(refused.status, 422, refused.text);
    assert.match(refused.text, field);
  }
  assert.deepEqual((await get('/outages')).json().data, []);
  const made = await post('/outages', { ...sense, vm_id });
  assert.deepEqual([made.status, made.json().data.vm_id], [200, vm_id], made.text);
});

test('crediting a missing outage is a 404', async (t) => {
  const { catalog, post } = await startOperator(t);
  catalog.sla = { credits: [{ uptime_below: '99.9', percent: 10 }] };
  assert.equal((await post('/outages/out_0/credit')).status, 404);
});
