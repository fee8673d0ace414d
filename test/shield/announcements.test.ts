import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemListMails } from '../../server/db/queries/service/mails.ts';
import { addMember, createPerson } from '../../server/domain/people/create-person.ts';
import { announceAttacks } from '../../server/jobs/timers/announce-attacks.ts';
import { MAIL_PURPOSE } from '../../server/mail/outbox.ts';
import { renderMail } from '../../server/mail/render.ts';
import { openShield } from './support.ts';

const SECOND = 1000;

async function open(t: TestContext) {
  const shield = await openShield(t);
  const { services, accountId } = shield.api;
  const { db, clock, secrets, metrics } = services;
  await db.transaction(async (tx) => {
    const person = { email: 'ada@example.com', name: '', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, person);
    await addMember(tx, clock, { personId, accountId, role: 'owner' });
  });
  return {
    ...shield,
    clock,
    announce: () => announceAttacks({ db, clock, secrets, metrics }),
    async mails() {
      const rows = (await systemListMails(db, undefined, { limit: 100, afterId: null })).reverse();
      return rows.map(({ template, sealed_values, locale }) => ({
        template,
        ...renderMail(template, JSON.parse(secrets.open(sealed_values!, MAIL_PURPOSE)), locale, {
          brand: services.brand,
          panelUrl: 'https://panel.example.com',
        }),
      }));
    },
    async counted() {
      const lines = (await metrics.text()).matchAll(/^vauban_attacks_total\{moment="(\w+)"\} (\d+)$/gm);
      return Object.fromEntries([...lines].map(([, moment, count]) => [moment, Number(count)]));
    },
  };
}

test('owners are mailed when an attack begins, when it is stopped and when it is over, and each is counted', async (t) => {
  const { attack, target, pass, announce, mails, counted, clock, reconciler } = await open(t);
  const victim = await target();
  const other = await target({ tenantId: victim.tenantId });
  await pass(3);
  await announce();
  assert.deepEqual([await mails(), await counted()], [[], {}]);

  await attack(victim, 'dns_amplification', 300_000, 60);
  await attack(other, 'dns_amplification', 300_000, 60);
  await pass(1);
  await announce();
  await announce();
  const [begun, ...none] = await mails();
  assert.deepEqual(none, []);
  assert.match(begun!.subject, /^Under attack: 2 machines/);
  assert.match(begun!.text, new RegExp(`${victim.ip.replaceAll('.', '\\.')}[^]*Mbit/s; since `));
  assert.deepEqual(await counted(), { started: 2 });

  await pass(2);
  await reconciler.idle();
  await announce();
  assert.deepEqual(await counted(), { started: 2, mitigated: 2 });
  const [, stopped] = await mails();
  assert.match(stopped!.subject, /^Attack mitigated: 2 machines/);
  assert.match(stopped!.text, /DNS amplification/);

  clock.advance(58 * SECOND);
  await pass(3);
  clock.advance(60 * SECOND);
  await pass(2);
  await announce();
  assert.deepEqual(await counted(), { started: 2, mitigated: 2, ended: 2 });
  assert.deepEqual(
    (await mails()).map(({ template }) => template),
    ['attack_started', 'attack_mitigated', 'attack_ended'],
  );

  await attack(victim, 'syn_flood', 300_000, 60);
  await pass(3);
  await announce();
  assert.deepEqual(await counted(), { started: 3, mitigated: 3, ended: 2 });
  assert.equal((await mails()).length, 3, 'one that comes back within the hour is not mailed again');
});
