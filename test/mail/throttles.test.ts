import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { systemListMails } from '../../server/db/queries/service/mails.ts';
import { addTraffic } from '../../server/db/queries/vms/bandwidth.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { throttleTraffic } from '../../server/jobs/timers/throttle-traffic.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { renderMail } from '../../server/mail/render.ts';
import { Failures } from '../../server/platform/failures.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const VM = { template: 'debian-12', password: 'correct-horse-battery', region: 'eu-central' };

test('owners get a mail when VMs are throttled, stopped, or slow because money is missing', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-mail-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  const installation = await openInstallation(await freshDatabase(t), { env: { VAUBAN_DATA_DIR: dataDir } });
  defer(t, () => installation.close());
  const { services } = installation;
  const { db, clock, catalog } = services;
  services.mails.close();
  catalog.usage = { traffic_per_gb: '0.01', max_unpaid_minor: 0 };
  const ends = { s1: { at_included: 'throttle', throttle_mbps: 10 }, s2: { at_included: 'stop' } } as const;
  for (const plan of catalog.plans) Object.assign(plan, { bandwidth_gb: 1000, ...ends[plan.code as 's1'] });
  const customer = await openCustomer(installation, 100_00n);
  await db.transaction(async (tx) => {
    const person = { email: 'ada@example.com', name: '', locale: 'de', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, person);
    await addMember(tx, clock, { personId, accountId: customer.accountId, role: 'owner' });
  });
  const node = await installation.openNode();
  for (const plan of ['s1', 's2', 's4'])
    await customer.must({ method: 'POST', path: '/v1/vm', body: { ...VM, plan, hostname: plan } });
  await runJobs(installation, node);
  const vms = await db.query<{ id: string }>(sql`select id from vms`);
  const sent = { date: clock.now().toISOString().slice(0, 10), in_bytes: 0, out_bytes: 100_000e9 };
  await addTraffic(
    db,
    vms.map(({ id }) => ({ vm_id: id, ...sent })),
  );
  for (let round = 0; round < 2; round++) await throttleTraffic(services, new Failures(services));

  const mails = (await systemListMails(db, undefined, { limit: 100, afterId: null })).toReversed();
  const values = mails.map((mail) => ({
    template: mail.template,
    of: JSON.parse(services.secrets.open(mail.sealed_values!, MAIL_PURPOSE)),
  }));
  assert.deepEqual(values.map(({ template }) => template).toSorted(), [
    'vm_traffic_limited',
    'vm_usage_unpaid',
  ]);
  const read = (template: string, locale: string) => {
    const { of } = values.find((mail) => mail.template === template)!;
    return renderMail(template, of, locale, {
      brand: services.brand,
      panelUrl: 'https://cloud.example/panel',
    });
  };
  const limited = read('vm_traffic_limited', 'de');
  assert.match(limited.subject, /^Enthaltener Datenverkehr verbraucht: 2 Maschinen$/);
  assert.match(limited.text, /s1: begrenzt auf 10 Mbit\/s bis 1\. Februar 2026/);
  assert.match(limited.text, /s2: das Netz ist gesperrt bis 1\. Februar 2026/);
  assert.match(read('vm_traffic_limited', 'en').text, /s2: its network is blocked until/);
  const unpaid = read('vm_usage_unpaid', 'de');
  assert.match(unpaid.subject, /^Guthaben aufladen: s4 ist begrenzt$/);
  assert.match(unpaid.text, /s4: begrenzt auf 1 Mbit\/s/);
  assert.match(unpaid.html, /href="https:\/\/cloud\.example\/panel\/billing\/top-up"/);
  assert.match(read('vm_usage_unpaid', 'en').subject, /^Top up to lift the network limit of s4$/);
});
