import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { lockTopUp } from '../../server/db/queries/money/top-ups.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { settleReversal } from '../../server/payments/reversals.ts';
import { lookAfterPayments } from '../../server/payments/tasks.ts';
import { Failures } from '../../server/platform/failures.ts';
import {
  STRIPE_KEY,
  signatureOf,
  startStripe,
  type Thing,
  WEBHOOK_SECRET,
} from '../payments/support/stripe.ts';
import { defer } from '../support/cleanup.ts';
import { openPanel, signInAs, type TestBrowser } from './support/panel.ts';

const DAY_MS = 86_400_000;
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

/** Returns the first field that an error names. */
const fieldOf = (error?: { details?: Thing }) => error?.details?.fields?.[0]?.field;

test('a debt is shown with the top-up that settles it, and prevents closing the account', async (t) => {
  const panel = await openPanel(t);
  const { browser } = await signInAs(panel, 'owner');
  const settled = { claimed_minor: 0, shortfall_minor: 0, suspends_at: null, claims: [], deleted_vms: [] };
  assert.deepEqual(await browser.ok('GET', '/debt'), { currency: 'EUR', ...settled });
  const { top_up } = await browser.ok('POST', '/top-ups', {
    body: { amount_minor: 20_00, provider: 'test' },
    idempotencyKey: 'top-up',
  });
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await browser.ok('POST', '/v1/vm', { body: order, idempotencyKey: 'one' });
  while ((await browser.ok('GET', `/v1/vm/${vm.id}?wait_seconds=10`)).active_job);
  const { available_minor: left } = await browser.ok('GET', '/v1/billing/wallet');
  const { services } = panel;
  const takenBack = { kind: 'dispute', providerRef: 'dp_1', amountMinor: 20_00n, isVoid: false } as const;
  await services.db.transaction(async (tx) =>
    settleReversal(tx, services, (await lockTopUp(tx, top_up.id))!, takenBack),
  );
  const owed = 20_00 - left;
  const { claims, ...debt } = await browser.ok('GET', '/debt');
  assert.deepEqual(debt, {
    ...{ currency: 'EUR', claimed_minor: owed, shortfall_minor: owed },
    ...{ suspends_at: null, deleted_vms: [] },
  });
  const [{ id, created_at, ...claim }] = claims;
  assert.match(`${id} ${created_at}`, /^rvs_/);
  const { id: top_up_id, reference } = top_up;
  assert.deepEqual(claim, { kind: 'dispute', amount_minor: owed, top_up_id, reference });
  const refused = await browser.ask('POST', '/account/close', { body: { name: 'Example Ltd' } });
  assert.match(refused.error?.message ?? '', /a debt of 3\.99 EUR, which a top-up pays/);
  assert.equal(refused.error?.details?.claimed_minor, owed);
});

test('money comes in by every way that is offered, and the billing pages show it', async (t) => {
  const stripe = await startStripe(t);
  const directory = mkdtempSync(join(tmpdir(), 'vauban-logo-'));
  defer(t, () => rm(directory, { recursive: true }));
  const logo = join(directory, 'logo.svg');
  writeFileSync(logo, LOGO);
  const panel = await openPanel(t, {
    VAUBAN_PANEL_LOGO: logo,
    VAUBAN_PAYMENT_PROVIDERS: 'test, stripe, bank_transfer',
    VAUBAN_BANK_RECIPIENT: 'Example GmbH',
    VAUBAN_BANK_IBAN: 'DE89370400440532013000',
    VAUBAN_STRIPE_SECRET_KEY: STRIPE_KEY,
    VAUBAN_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    VAUBAN_STRIPE_BASE_URL: stripe.url,
  });
  const { browser, accountId } = await signInAs(panel, 'owner');
  const { browser: operator } = await signInAs(panel, 'operator', accountId);
  const { browser: viewer } = await signInAs(panel, 'viewer', accountId);
  const start = (who: TestBrowser, body: object, idempotencyKey: string = randomUUID()) =>
    who.ask('POST', '/top-ups', { body, idempotencyKey });

  await t.test('the branding of the panel', async () => {
    const { logo_url } = await browser.ok('GET', '/site');
    const reply = await fetch(panel.baseUrl + logo_url);
    assert.equal(await reply.text(), LOGO);
    assert.match(reply.headers.get('content-security-policy')!, /default-src 'none'.*sandbox/);
    const prices = await browser.ok('GET', '/prices', { headers: { cookie: undefined } });
    assert.ok(prices.plans.length > 0 && prices.plans.every(({ deprecated }: Thing) => !deprecated));
  });

  await t.test('a top-up that is paid at once', async () => {
    const providers = await viewer.ok('GET', '/payment-providers');
    assert.deepEqual(
      providers.map(({ id, can_store, minimum_minor }: Thing) => [id, can_store, minimum_minor]),
      [
        ['test', true, 500],
        ['stripe', true, 500],
        ['bank_transfer', false, 500],
      ],
    );
    const body = { amount_minor: 2500, provider: 'test', keep_method: true };
    assert.equal((await start(viewer, body)).error?.code, 'role_required');
    assert.equal((await browser.ask('POST', '/top-ups', { body })).error?.code, 'idempotency_key_missing');
    const key = randomUUID();
    const [once, twice] = [await start(operator, body, key), await start(operator, body, key)];
    assert.deepEqual(twice.data, once.data);
    assert.deepEqual([once.data.top_up.status, once.data.next], ['succeeded', { kind: 'done' }]);
    for (const [wrong, field] of [
      [{ ...body, amount_minor: 499 }, 'amount_minor'],
      [{ ...body, amount_minor: 100_001 }, 'amount_minor'],
      [{ ...body, amount_minor: 2 ** 60 }, 'amount_minor'],
      [{ ...body, amount_minor: 25.5 }, 'amount_minor'],
      [{ ...body, provider: 'gold' }, 'provider'],
    ] as const) {
      const { error } = await start(browser, wrong);
      assert.equal(fieldOf(error), field, JSON.stringify(error));
    }
    const declined = await start(browser, { ...body, amount_minor: 2513 });
    assert.deepEqual(
      [declined.data.top_up.status, declined.data.top_up.error],
      ['failed', 'The card was declined.'],
    );
  });

  await t.test('by a bank transfer, up to some that are not paid yet', async () => {
    const body = { amount_minor: 5000, provider: 'bank_transfer' };
    const { top_up, next } = (await start(browser, body)).data;
    assert.deepEqual(
      [top_up.status, next.kind, next.iban],
      ['pending', 'bank_transfer', 'DE89370400440532013000'],
    );
    assert.match(next.reference, /^TU-[2-9A-Z]{4}-[2-9A-Z]{4}$/);
    for (let n = 1; n < 10; n++) assert.equal((await start(browser, body)).status, 200);
    assert.deepEqual((await start(browser, body)).error?.code, 'quota_exceeded');
    const before = stripe.requests.length;
    assert.deepEqual((await start(browser, { ...body, provider: 'stripe' })).error?.code, 'quota_exceeded');
    assert.equal(stripe.requests.length, before, 'Stripe is not asked for what is refused');
    panel.clock.advance(15 * DAY_MS);
    await lookAfterPayments(panel.services, new Failures(panel.services));
    const later = (await signInAs(panel, 'viewer', accountId)).browser;
    assert.equal((await later.ok('GET', `/top-ups/${top_up.id}`)).status, 'expired');
  });

  const { browser: owner } = await signInAs(panel, 'owner', accountId);

  await t.test('at Stripe, whose signed event books it', async () => {
    const { top_up, next } = (await start(owner, { amount_minor: 4000, provider: 'stripe' })).data;
    const session = [...stripe.sessions.values()].find(({ url }) => url === next.url)!;
    const panelUrl = `${panel.baseUrl.replace('127.0.0.1', 'localhost')}/panel`;
    assert.equal(session.success_url, `${panelUrl}/billing/top-ups/${top_up.id}`);
    const [event] = stripe.pay(session.id);
    const payload = JSON.stringify(event);
    const headers = { 'stripe-signature': signatureOf(payload, panel.clock.now()) };
    const received = await fetch(`${panel.baseUrl}/webhooks/stripe`, {
      method: 'POST',
      body: payload,
      headers,
    });
    assert.equal(received.status, 200);
    assert.equal((await owner.ok('GET', `/top-ups/${top_up.id}`)).status, 'succeeded');
    const { browser: stranger } = await signInAs(panel, 'owner');
    assert.equal((await stranger.ask('GET', `/top-ups/${top_up.id}`)).error?.code, 'not_found');
  });

  await t.test('an unpaid one continues, is cancelled, and is booked if it is paid anyway', async () => {
    const { top_up, next } = (await start(owner, { amount_minor: 4000, provider: 'stripe' })).data;
    assert.deepEqual((await owner.ok('GET', `/top-ups/${top_up.id}`)).next, next, 'in any browser');
    const { browser: looker } = await signInAs(panel, 'viewer', accountId);
    assert.equal((await looker.ok('GET', `/top-ups/${top_up.id}`)).next, null);
    const { browser: stranger } = await signInAs(panel, 'owner');
    const path = `/top-ups/${top_up.id}/cancel`;
    assert.equal((await stranger.ask('POST', path)).error?.code, 'not_found');
    stripe.mishaps.push('unavailable');
    assert.equal((await owner.ask('POST', path)).error?.code, 'service_unavailable');
    assert.equal((await owner.ok('POST', path)).status, 'canceled');
    const session = [...stripe.sessions.values()].find(({ url }) => url === next.url)!;
    assert.equal(session.status, 'expired');
    assert.equal((await owner.ask('POST', path)).error?.code, 'invalid_state');
    assert.equal((await owner.ok('GET', `/top-ups/${top_up.id}`)).next, null);

    const paying = (await start(owner, { amount_minor: 4000, provider: 'stripe' })).data;
    stripe.pay([...stripe.sessions.values()].find(({ url }) => url === paying.next.url)!.id);
    const late = await owner.ask('POST', `/top-ups/${paying.top_up.id}/cancel`);
    assert.equal(late.error?.code, 'invalid_state', 'its page is paid, and the event is on its way');
    const bank = (await start(owner, { amount_minor: 4000, provider: 'bank_transfer' })).data;
    assert.deepEqual((await owner.ok('GET', `/top-ups/${bank.top_up.id}`)).next, bank.next);
    assert.equal((await owner.ok('POST', `/top-ups/${bank.top_up.id}/cancel`)).status, 'canceled');
  });

  await t.test('a list and a statement, page by page, with the balance after each entry', async () => {
    const tops = await owner.ask('GET', '/top-ups?limit=2');
    assert.deepEqual([tops.data.length, tops.pagination?.has_more], [2, true]);
    const entries: Thing[] = [];
    let cursor = '';
    do {
      const page = await owner.ask('GET', `/statement?limit=1${cursor && `&cursor=${cursor}`}`);
      entries.push(...page.data);
      cursor = page.pagination?.next_cursor ?? '';
    } while (cursor);
    assert.deepEqual(
      entries.map(({ entry, reason, change_minor, available_minor }) => [
        entry,
        reason,
        change_minor,
        available_minor,
      ]),
      [
        [2, 'top_up', 4000, 6500],
        [1, 'top_up', 2500, 2500],
      ],
    );
    const [first] = await owner.ok(
      'GET',
      `/statement?to=${new Date(panel.clock.now().getTime() - DAY_MS).toISOString()}`,
    );
    assert.deepEqual([first.entry, first.available_minor], [1, 2500]);
    assert.equal((await owner.ask('GET', '/statement?cursor=7')).error?.code, 'invalid_cursor');
  });

  await t.test('the automatic top-up, only by its owner and with a saved card', async () => {
    const auto = await owner.ok('GET', '/auto-top-up');
    assert.deepEqual([auto.enabled, auto.methods.length], [false, 1]);
    const body = {
      enabled: true,
      threshold_minor: 7000,
      amount_minor: 1500,
      payment_method_id: auto.methods[0].id,
    };
    const again = (await signInAs(panel, 'operator', accountId)).browser;
    assert.equal((await again.ask('PUT', '/auto-top-up', { body })).error?.code, 'role_required');
    for (const [wrong, field] of [
      [{ ...body, payment_method_id: null }, 'payment_method_id'],
      [{ ...body, payment_method_id: 'pmt_00000000000000000000000000' }, 'payment_method_id'],
      [{ ...body, amount_minor: 1 }, 'amount_minor'],
      [{ ...body, threshold_minor: 2 ** 50 }, 'threshold_minor'],
    ] as const) {
      const { error } = await owner.ask('PUT', '/auto-top-up', { body: wrong });
      assert.equal(fieldOf(error), field, JSON.stringify(error));
    }
    assert.equal((await owner.ok('PUT', '/auto-top-up', { body })).enabled, true);
    // Ids created at the same instant have no order.
    panel.clock.advance(1);
    await lookAfterPayments(panel.services, new Failures(panel.services));
    const [newest] = await owner.ok('GET', '/top-ups');
    assert.deepEqual([newest.cause, newest.status], ['auto', 'succeeded']);
  });

  await t.test('the billing details of invoices', async () => {
    assert.equal((await owner.ok('GET', '/billing-profile')).profile, null);
    const body = {
      kind: 'business',
      name: 'Example B.V.',
      street: 'Damrak 1',
      city: 'Amsterdam',
      country: 'nl',
    };
    const saved = await owner.ok('PUT', '/billing-profile', { body: { ...body, vat_id: 'NL004495445B01' } });
    assert.deepEqual([saved.profile.country, saved.profile.postcode], ['NL', null]);
    for (const [wrong, field] of [
      [{ ...body, vat_id: 'DE1' }, 'vat_id'],
      [{ ...body, country: 'XX' }, 'country'],
      [{ ...body, name: 'a\u202eb' }, 'name'],
      [{ ...body, street: ' ' }, 'street'],
    ] as const) {
      const { error } = await owner.ask('PUT', '/billing-profile', { body: wrong });
      assert.equal(fieldOf(error), field, JSON.stringify(error));
    }
    assert.deepEqual(await owner.ok('GET', '/billing-profile'), saved);

    // A profile that is older than the table of countries may contain this code.
    const { db } = panel.services;
    await db.query(sql`update billing_profiles set country = 'YU'`);
    const order = (idempotencyKey: string) =>
      owner.ask('POST', '/v1/vm', {
        body: { plan: 's1', template: 'debian-12', hostname: 'web-1' },
        idempotencyKey,
      });
    const refused = await order('before');
    assert.equal(refused.error?.code, 'invalid_state');
    assert.match(refused.error?.message ?? '', /use RS \(Serbia\) or ME \(Montenegro\) instead of YU/);
    await owner.ok('PUT', '/billing-profile', { body: { ...body, country: 'RS' } });
    assert.equal((await order('after')).error, undefined);
  });
  assert.deepEqual(await auditNow(panel.services.db), []);
});
