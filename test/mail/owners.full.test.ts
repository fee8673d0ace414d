import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type MailRow, systemListMails } from '../../server/db/queries/service/mails.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { mailVmNotice } from '../../server/mail/owners.ts';
import { renderMail } from '../../server/mail/render.ts';
import { Failures } from '../../server/platform/failures.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const DAY_MS = 86_400_000;
const VM = { template: 'debian-12', password: 'correct-horse-battery', plan: 's1', region: 'eu-central' };

/** An account with an owner who reads German, one whose address is not verified, and a read-only member. */
async function household(t: TestContext, vms: number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-mail-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  const env = { VAUBAN_DATA_DIR: dataDir };
  const installation = await openInstallation(await freshDatabase(t), { env });
  defer(t, () => installation.close());
  const { services } = installation;
  const { db, clock } = services;
  services.catalog.limits.vms = 100;
  const node = await installation.openNode();
  const customer = await openCustomer(installation, 4_00n * BigInt(vms));
  const { accountId } = customer;
  const enter = (email: string, role: 'owner' | 'viewer', verified: boolean) =>
    db.transaction(async (tx) => {
      const person = { email, name: '', locale: 'de', passwordHash: null, verified };
      const { id: personId } = await createPerson(tx, clock, person);
      await addMember(tx, clock, { personId, accountId, role });
    });
  await enter('ada@example.com', 'owner', true);
  await enter('unknown@example.com', 'owner', false);
  await enter('bob@example.com', 'viewer', true);
  for (let n = 1; n <= vms; n++)
    await customer.must({ method: 'POST', path: '/v1/vm', body: { ...VM, hostname: `web-${n}` } });
  await runJobs(installation, node);
  const failures = new Failures(services);
  /** Passes days one by one, with the service's timers. */
  const pass = async (days: number) => {
    for (let day = 0; day < days; day++) {
      clock.advance(DAY_MS);
      await giveRenewalNotices(services, failures);
      await renewVms(services, failures);
      await runJobs(installation, node);
      await services.mails.run();
    }
  };
  const mails = async () => (await systemListMails(db, undefined, { limit: 100, afterId: null })).reverse();
  const read = ({ template, sealed_values, locale }: MailRow) =>
    renderMail(template, JSON.parse(services.secrets.open(sealed_values!, MAIL_PURPOSE)), locale, {
      brand: services.brand,
      panelUrl: 'https://cloud.example/panel',
    });
  return { services, customer, pass, mails, read };
}

test('owners get one mail each before a VM is unpaid, switched off and deleted', async (t) => {
  const smtpless = await household(t, 1);
  const { pass, mails, services } = smtpless;
  // Nothing is sent here: mails in the outbox can be read.
  services.mails.close();
  await pass(60);
  const told = await mails();
  assert.deepEqual(
    told.map(({ template }) => template),
    ['vm_renewal_due', 'vm_renewal_due', 'vm_renewal_due', 'vm_unpaid', 'vm_suspended', 'vm_deletion_due'],
  );
  assert.deepEqual([...new Set(told.map(({ recipient }) => recipient))], ['ada@example.com']);
  const [due, , , unpaid, off, end] = told.map((mail) => smtpless.read(mail));
  assert.match(due!.subject, /^Guthaben aufladen: Verlängerung von web-1$/);
  assert.match(due!.text, /web-1: 3,99.€ am 1\. Februar 2026 um 00:00 UTC; es fehlen/);
  assert.match(due!.html, /href="https:\/\/cloud\.example\/panel\/billing\/top-up"/);
  assert.match(unpaid!.text, /Abschaltung am 4\. Februar 2026/);
  assert.match(off!.text, /Löschung mit allen Daten am 18\. Februar 2026/);
  assert.match(end!.subject, /^Wird bald gelöscht: web-1$/);
});

test('notices about many VMs at the same time are one mail', async (t) => {
  const { pass, mails, read, services } = await household(t, 52);
  services.mails.close();
  await pass(26);
  const [mail, ...others] = (await mails()).filter(({ template }) => template === 'vm_renewal_due');
  assert.deepEqual(others, []);
  const { subject, text } = read(mail!);
  assert.match(subject, /52 Maschinen/);
  assert.equal(text.match(/^web-\d+: /gm)?.length, 50);
  assert.match(text, /…: und 2 weitere/);
});

test('nodes that notify the same account at the same time write one mail', async (t) => {
  const { services, customer, mails, read } = await household(t, 1);
  const { db } = services;
  const tell = (hostname: string) =>
    db.transaction((tx) =>
      mailVmNotice(tx, services, customer.accountId, { template: 'vm_suspended', notice: { hostname } }),
    );
  await Promise.all(['a', 'b', 'c', 'd'].map(tell));
  const told = await mails();
  assert.equal(told.length, 1);
  assert.equal(read(told[0]!).text.match(/^[a-d]: /gm)?.length, 4);
  // News after the mail was sent go into another mail.
  services.clock.advance(3 * 60_000);
  await services.mails.run();
  await tell('e');
  assert.equal((await mails()).length, 2);
});
