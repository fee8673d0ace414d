import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadBrand } from '../../server/config/brand.ts';
import { loadConfig } from '../../server/config/config.ts';
import type { Database } from '../../server/db/database.ts';
import { type MailRow, retryMail, systemListMails } from '../../server/db/queries/service/mails.ts';
import { enqueueMail, type Mail } from '../../server/mail/outbox.ts';
import { MailSender } from '../../server/mail/sender.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { startSmtp } from './support/smtp.ts';

const URL = 'https://cloud.example/panel/verify#token=s3cret-token';
const VERIFY: Mail = {
  to: 'ada@example.com',
  template: 'verify_email',
  values: { url: URL, expiresAt: '2026-01-02T00:00:00Z' },
  locale: 'en',
};
const HOUR_MS = 3_600_000;

async function office(t: TestContext, db: Database, env: NodeJS.ProcessEnv) {
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const config = loadConfig(env);
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(
    { logLevel: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  const metrics = createMetrics('test');
  const site = { panelUrl: 'https://cloud.example/panel' };
  const brand = loadBrand(config);
  const sender = new MailSender({ config, brand, site, db, clock, logger, metrics, secrets });
  defer(t, () => sender.close());
  const write = (mail: Mail) => db.transaction((tx) => enqueueMail(tx, { clock, secrets }, mail));
  const mails = () => systemListMails(db, undefined, { limit: 50, afterId: null });
  const only = async (): Promise<MailRow> => (await mails()).at(0)!;
  return { clock, sender, write, mails, only, lines };
}

test('a mail of the outbox reaches its recipient once, in both languages and both forms', async (t) => {
  const smtp = await startSmtp(t);
  const { sender, write, mails } = await office(t, await freshDatabase(t), {
    VAUBAN_MAIL_SMTP_URL: smtp.url,
    VAUBAN_MAIL_FROM: 'Example <no-reply@cloud.example>',
    VAUBAN_PANEL_NAME: 'Example & Sons <b>',
    VAUBAN_PANEL_SUPPORT_URL: 'https://cloud.example/help?a=1&b=2',
  });
  const name = '<img src=x onerror=alert(1)>\r\nBcc: eve@example.com\r\n\r\n"Ada" \u202egpj';
  const expiresAt = '2026-01-02T00:00:00Z';
  const key = { label: name, hint: 'vk_abc…', account: name, expiresAt };
  const twice = { template: 'key_expiry', values: key, dedupeKey: 'key/1' } as const;
  await write(VERIFY);
  await write({ ...twice, to: 'ada@example.com', locale: 'en' });
  await write({ ...twice, to: 'ada@example.com', locale: 'en' });
  await write({ ...VERIFY, to: 'bob@example.com', locale: 'de' });
  const sealed = await mails();
  assert.equal(sealed.length, 3);
  assert.ok(!JSON.stringify(sealed, (_, v) => (typeof v === 'bigint' ? String(v) : v)).includes('s3cret'));

  await sender.run();
  await sender.run();

  assert.equal(smtp.received.length, 3);
  const byTo = (to: string, subject: RegExp) =>
    smtp.received.find(({ envelope, mail }) => envelope.to[0] === to && subject.test(mail.subject!))!;
  const english = byTo('ada@example.com', /^Create your Example & Sons <b> account$/);
  assert.equal(english.envelope.from, 'no-reply@cloud.example');
  assert.deepEqual(english.mail.to, [{ name: '', address: 'ada@example.com' }]);
  assert.ok(english.mail.text!.includes(URL) && english.mail.html!.includes(`href="${URL}"`));
  assert.match(english.mail.text!, /2 January 2026 at 00:00 UTC/);
  assert.match(english.mail.html!, /Example &amp; Sons &lt;b&gt;/);
  assert.match(
    byTo('bob@example.com', /^Legen Sie Ihr Konto bei/).mail.text!,
    /2\. Januar 2026 um 00:00 UTC/,
  );

  const hostile = byTo('ada@example.com', /expires soon/);
  assert.deepEqual([hostile.envelope.to, hostile.mail.bcc], [['ada@example.com'], undefined]);
  assert.match(hostile.mail.subject!, /^API key “<img src=x onerror=alert\(1\)> Bcc: eve@example.com/);
  assert.ok(!/\p{Cf}/u.test(hostile.mail.subject! + hostile.mail.text!));
  assert.ok(!hostile.mail.html!.includes('<img'));
  assert.deepEqual(
    (await mails()).map(({ status, sealed_values }) => [status, sealed_values]),
    Array(3).fill(['sent', null]),
  );
});

test('a rejected mail is retried at growing intervals, and finally given up for the operator to see', async (t) => {
  let answer: Error | null = Object.assign(new Error('try later'), { responseCode: 451 });
  const smtp = await startSmtp(t, { onRcptTo: (_address, _session, done) => done(answer) });
  const db = await freshDatabase(t);
  const { clock, sender, write, only } = await office(t, db, {
    VAUBAN_MAIL_SMTP_URL: smtp.url,
    VAUBAN_MAIL_FROM: 'no-reply@cloud.example',
  });
  await write(VERIFY);
  const waits: number[] = [];
  for (let round = 0; round < 12 && (await only()).status === 'pending'; round++) {
    clock.set((await only()).next_attempt_at);
    await sender.run();
    await sender.run();
    const { next_attempt_at, attempts } = await only();
    assert.equal(attempts, round + 1, 'one attempt a time');
    waits.push((next_attempt_at.getTime() - clock.now().getTime()) / HOUR_MS);
  }
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  );
  assert.ok(waits.reduce((sum, wait) => sum + wait) >= 48, 'for days');
  const dead = await only();
  assert.equal(dead.status, 'failed');
  assert.match(dead.last_error!, /451 try later/);

  answer = null;
  assert.equal((await retryMail(db, dead.id, clock.now()))?.attempts, 0);
  await sender.run();
  assert.equal(smtp.received.length, 1);
  assert.equal(await retryMail(db, dead.id, clock.now()), undefined, 'sent is sent');

  answer = Object.assign(new Error('no such user'), { responseCode: 550 });
  await write(VERIFY);
  await sender.run();
  const refused = await only();
  assert.deepEqual([refused.status, refused.attempts], ['failed', 1], 'nobody there is for good');
});

test('a server that is not there costs nothing but time', async (t) => {
  const { sender, write, only, lines } = await office(t, await freshDatabase(t), {
    VAUBAN_MAIL_SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1',
    VAUBAN_MAIL_FROM: 'no-reply@cloud.example',
  });
  await write(VERIFY);
  await sender.run();
  const { status, attempts, last_error } = await only();
  assert.deepEqual([status, attempts], ['pending', 1]);
  assert.match(last_error!, /ECONNREFUSED/);
  assert.ok(!JSON.stringify(lines).includes('hunter2') && !JSON.stringify(lines).includes('s3cret'));
});

test('without a server a mail is a file for its owner, and a line in the log that names it', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vauban-mail-'));
  defer(t, () => rm(dataDir, { recursive: true }));
  const { sender, write, lines } = await office(t, await freshDatabase(t), { VAUBAN_DATA_DIR: dataDir });
  await write(VERIFY);
  await sender.run();
  const [name] = await readdir(join(dataDir, 'mail'));
  const file = join(dataDir, 'mail', name!);
  assert.equal((await stat(file)).mode & 0o077, 0);
  assert.ok((await readFile(file, 'utf8')).includes(URL));
  assert.equal(lines.find(({ msg }) => msg === 'mail written to a file')?.file, file);
  assert.ok(!JSON.stringify(lines).includes('s3cret'));
});

test('an invalid address is refused before it is written', async (t) => {
  const { write, mails } = await office(t, await freshDatabase(t), {});
  for (const to of [
    'ada@example.com\r\nBcc: eve@example.com',
    'Ada <ada@example.com>',
    'ada@example.com, eve@example.com',
    'ada@EXAMPLE.com',
    '"a b"@example.com',
    'ada@example',
    'ada@127.0.0.1',
  ])
    await assert.rejects(write({ ...VERIFY, to }), /address/);
  assert.equal((await mails()).length, 0);
});
