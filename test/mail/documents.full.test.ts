import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { loadBrand } from '../../server/config/brand.ts';
import { loadConfig } from '../../server/config/config.ts';
import type { Database, Transaction } from '../../server/db/database.ts';
import { putBillingProfile } from '../../server/db/queries/money/billing-profiles.ts';
import type { IssuedDocument } from '../../server/db/queries/money/issue-invoices.ts';
import { systemListMails } from '../../server/db/queries/service/mails.ts';
import { DocumentRenderer } from '../../server/documents/renderer.ts';
import { issueDocuments } from '../../server/domain/billing/issue-documents.ts';
import { grantPromo } from '../../server/domain/billing/promo-credits.ts';
import { noticeExpiringCredits } from '../../server/jobs/timers/credit-notices.ts';
import { mailDocument } from '../../server/jobs/timers/mail-document.ts';
import { attachDocuments } from '../../server/mail/attachments.ts';
import { renderMail } from '../../server/mail/render.ts';
import { MailSender } from '../../server/mail/sender.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { createMetrics } from '../../server/platform/metrics.ts';
import { SecretBox } from '../../server/platform/secrets.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { SELLER } from '../documents/support/samples.ts';
import { profile, sell, termsFor } from '../documents/support/seller.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { startSmtp } from './support/smtp.ts';

const CONTACTS = ['billing@example.com', 'cfo@example.com'];

/** An account with two contacts who receive German documents, and the hoster's mail sender. */
async function officeOf(t: TestContext, db: Database, clock: ManualClock) {
  const smtp = await startSmtp(t);
  const config = loadConfig({
    VAUBAN_MAIL_SMTP_URL: smtp.url,
    VAUBAN_MAIL_FROM: 'Example <no-reply@cloud.example>',
  });
  const logger = createLogger({ logLevel: 'silent' });
  const secrets = new SecretBox(Buffer.alloc(32, 1));
  const documents = new DocumentRenderer({ clock, logger });
  defer(t, () => documents.close());
  const sender = new MailSender({
    ...{ config, brand: loadBrand(config), site: { panelUrl: 'https://cloud.example/panel' } },
    ...{ db, clock, logger, metrics: createMetrics('test'), secrets },
    attach: attachDocuments({ db, documents }),
  });
  defer(t, () => sender.close());
  const accountId = await fundedAccount(db, clock, 100_00n);
  await putBillingProfile(db, {
    ...{ account_id: accountId, ...profile(), updated_at: clock.now() },
    ...{ order_reference: 'PO-4711', language: 'de', mail_to: CONTACTS },
  });
  const services = { db, clock, logger, secrets, documents };
  const onIssued = (tx: Transaction, issued: IssuedDocument) => mailDocument(tx, services, issued);
  const issue = () => issueDocuments({ ...services, onIssued }, clock.now(), 10, SELLER);
  return { accountId, smtp, sender, services, issue };
}

test('an issued document is mailed to each contact once, with PDF and XML, in the language of the account', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const { accountId, smtp, sender, issue } = await officeOf(t, db, clock);
  const vm = await storedVm(db, clock, accountId);
  await sell(db, clock, vm, [399n, 699n], termsFor(profile()));
  clock.set(new Date('2026-02-01T00:10:00Z'));
  await issue();
  await issue();
  await sender.run();
  await sender.run();

  assert.deepEqual(smtp.received.map(({ envelope }) => envelope.to[0]).sort(), CONTACTS);
  for (const { mail } of smtp.received) {
    assert.equal(mail.subject, 'Rechnung INV-000001 für Januar 2026');
    assert.match(mail.text!, /10,98/);
    assert.match(mail.text!, /Das PDF und die E-Rechnung \(XML\) sind angehängt\./);
    const [pdf, xml] = mail.attachments;
    assert.deepEqual(
      mail.attachments.map(({ filename, mimeType }) => [filename, mimeType]),
      [
        ['INV-000001.pdf', 'application/pdf'],
        ['INV-000001.xml', 'application/xml'],
      ],
    );
    assert.match(Buffer.from(pdf!.content as ArrayBuffer).toString('latin1'), /^%PDF-1\.7/);
    assert.match(Buffer.from(xml!.content as ArrayBuffer).toString(), /PO-4711/);
  }
});

test('a document that has no e-invoice is mailed with its PDF, and says so', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const { accountId, smtp, sender, issue } = await officeOf(t, db, clock);
  // South Sudan is missing from the standard's list of countries.
  await putBillingProfile(db, {
    ...{ account_id: accountId, ...profile({ country: 'SS' }), updated_at: clock.now() },
    mail_to: CONTACTS.slice(0, 1),
  });
  const vm = await storedVm(db, clock, accountId);
  await sell(db, clock, vm, [399n], termsFor(profile({ country: 'SS' })));
  clock.set(new Date('2026-02-01T00:10:00Z'));
  await issue();
  await sender.run();
  const [{ mail }] = smtp.received as [(typeof smtp.received)[number]];
  assert.match(mail.text!, /The PDF is attached\./);
  assert.deepEqual(
    mail.attachments.map(({ filename }) => filename),
    ['INV-000001.pdf'],
  );
});

test('the end of credit is announced once, a week ahead', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-01T00:00:00Z');
  const { accountId, services } = await officeOf(t, db, clock);
  const grant = (until: string) =>
    db.transaction((tx) =>
      grantPromo(tx, clock, {
        ...{ accountId, amountMinor: 5_00n, field: 'amount', until: new Date(until) },
        ...{ reason: 'hello', actor: 'root' },
      }),
    );
  await grant('2026-01-31T00:00:00Z');
  await grant('2026-01-05T00:00:00Z');
  const written = async () =>
    (await systemListMails(db, undefined, { limit: 50, afterId: null })).map(({ template, recipient }) =>
      [template, recipient].join(' '),
    );
  await noticeExpiringCredits(services, 10);
  assert.deepEqual(await written(), [], 'credit for some days was announced with its end');
  clock.set(new Date('2026-01-24T00:00:00Z'));
  await noticeExpiringCredits(services, 10);
  await noticeExpiringCredits(services, 10);
  assert.deepEqual(
    (await written()).sort(),
    CONTACTS.map((to) => `credit_expiring ${to}`),
  );
});

test('every mail about money is written in both languages', () => {
  const values = {
    ...{ account: 'Example', amountMinor: 12_34, currency: 'EUR', reference: 'TU-1', reason: 'why' },
    ...{
      kind: 'dispute',
      expiresAt: '2026-02-01T00:00:00Z',
      paidAt: '2026-01-01T00:00:00Z',
      method: 'stripe',
    },
    ...{
      type: 'credit_note',
      invoiceId: 'inv_1',
      number: 'CN-000001',
      periodStartAt: '2026-01-01T00:00:00Z',
    },
    totalMinor: -12_34,
  };
  const brand = loadBrand(loadConfig({}));
  const site = { brand, panelUrl: 'https://cloud.example/panel' };
  for (const template of [
    ...['top_up_succeeded', 'top_up_ended', 'top_up_refunded', 'payment_returned'],
    ...['credit_given', 'credit_expiring', 'document_issued'],
  ]) {
    const [en, de] = ['en', 'de'].map((locale) => renderMail(template, values, locale, site));
    assert.match(en!.text, /€12\.34/, template);
    assert.match(de!.text, /12,34\s€/, template);
    assert.notEqual(en!.subject, de!.subject);
    for (const { text } of [en!, de!]) assert.doesNotMatch(text, /undefined|null|NaN/, template);
  }
});
