import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { auditNow } from '../../../server/domain/billing/audit/audit.ts';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { temporaryDirectory } from '../../operator/support.ts';
import { enrolledOperator } from '../../operator-panel/support/operator.ts';
import { defer } from '../../support/cleanup.ts';
import { REPOSITORY } from '../../support/source.ts';
import { openPanel, type Panel, signInAs, type TestBrowser } from '../support/panel.ts';
import { buildIfChanged } from './support/panel-page.ts';

/** A text typed as an amount, its value in minor units, and the panel's rendering of it. */
interface Typed {
  text: string;
  minor: number;
  shown: string;
}

interface Money {
  /** The limits of a top-up, in the catalog and in the form. */
  limits: { min: string; max: string; shown: string };
  /** The initial value of the field. */
  first: string;
  /** An amount with one decimal too many, and its error message. */
  tooFine: string;
  refusal: string;
  topUp: Typed;
  threshold: Typed;
  refill: Typed;
  payment: Typed;
  adjustment: Typed;
  promo: Typed;
  refund: Typed;
}

const typed = (text: string, minor: number, shown: string): Typed => ({ text, minor, shown });

/** Currencies with no decimals, two, three, and two that the runtime believes has none. */
const CURRENCIES: Record<string, Money> = {
  EUR: {
    limits: { min: '5', max: '1000', shown: 'From €5.00 to €1,000.00.' },
    first: '25.00',
    tooFine: '12.505',
    refusal: 'Enter an amount in EUR, such as 12.50.',
    topUp: typed('12,50', 12_50, '€12.50'),
    threshold: typed('7.5', 7_50, '€7.50'),
    refill: typed('20', 20_00, '€20.00'),
    payment: typed('30,05', 30_05, '€30.05'),
    adjustment: typed('1.10', 1_10, '€1.10'),
    promo: typed('2', 2_00, '€2.00'),
    refund: typed('0,99', 99, '€0.99'),
  },
  JPY: {
    limits: { min: '500', max: '100000', shown: 'From JP¥500 to JP¥100,000.' },
    first: '2500',
    tooFine: '1000.5',
    refusal: 'Enter an amount in JPY, such as 1250.',
    topUp: typed('1000', 1_000, 'JP¥1,000'),
    threshold: typed('750', 750, 'JP¥750'),
    refill: typed('2000', 2_000, 'JP¥2,000'),
    payment: typed('3005', 3_005, 'JP¥3,005'),
    adjustment: typed('110', 110, 'JP¥110'),
    promo: typed('200', 200, 'JP¥200'),
    refund: typed('99', 99, 'JP¥99'),
  },
  KWD: {
    limits: { min: '1.5', max: '300', shown: 'From KWD 1.500 to KWD 300.000.' },
    first: '7.500',
    tooFine: '10.5005',
    refusal: 'Enter an amount in KWD, such as 12.500.',
    topUp: typed('10.500', 10_500, 'KWD 10.500'),
    threshold: typed('2,25', 2_250, 'KWD 2.250'),
    refill: typed('5', 5_000, 'KWD 5.000'),
    payment: typed('30.005', 30_005, 'KWD 30.005'),
    adjustment: typed('1.1', 1_100, 'KWD 1.100'),
    promo: typed('0.200', 200, 'KWD 0.200'),
    refund: typed('0,099', 99, 'KWD 0.099'),
  },
  HUF: {
    limits: { min: '2000', max: '400000', shown: 'From HUF 2,000.00 to HUF 400,000.00.' },
    first: '10000.00',
    tooFine: '10000.505',
    refusal: 'Enter an amount in HUF, such as 12.50.',
    topUp: typed('10000', 1_000_000, 'HUF 10,000.00'),
    threshold: typed('2500', 250_000, 'HUF 2,500.00'),
    refill: typed('5000,50', 500_050, 'HUF 5,000.50'),
    payment: typed('3000', 300_000, 'HUF 3,000.00'),
    adjustment: typed('110.05', 11_005, 'HUF 110.05'),
    promo: typed('200', 20_000, 'HUF 200.00'),
    refund: typed('0.99', 99, 'HUF 0.99'),
  },
};

/** Writes the shipped catalog in another currency. Yen have no decimals: 3.99 becomes 399. */
async function catalogIn(t: TestContext, currency: string, { min, max }: Money['limits']): Promise<string> {
  const catalog = parse(readFileSync(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  Object.assign(catalog, { currency, top_up: { min, max } });
  if (currency === 'JPY')
    for (const plan of catalog.plans) {
      plan.price_monthly = String(Math.round(Number(plan.price_monthly) * 100));
      if (plan.price_hourly) plan.price_hourly = (Number(plan.price_hourly) * 100).toFixed(2);
    }
  const path = join(await temporaryDirectory(t), 'catalog.yaml');
  writeFileSync(path, stringify(catalog));
  return path;
}

/** Opens a page below `path` with the session of a signed-in person; closed before the service stops. */
async function pageOf(
  t: TestContext,
  browser: Browser,
  { baseUrl }: Panel,
  session: TestBrowser,
  path: string,
) {
  const opened = await newPage(browser, { locale: 'en' });
  defer(t, () => opened.page.context().close());
  const [name, value] = session.cookie!.split('=') as [string, string];
  await opened.page.context().addCookies([{ name, value, url: `${baseUrl}${path}` }]);
  return opened;
}

/** Waits for a text whose spaces may be narrow or non-breaking. */
const shows = (page: Page, text: string) =>
  page
    .getByText(new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s')))
    .first()
    .waitFor();

/** The customer tops up and configures automatic top-ups. */
async function asCustomer(page: Page, { baseUrl }: Panel, session: TestBrowser, money: Money) {
  const { limits, first, tooFine, refusal, topUp, threshold, refill } = money;
  await page.goto(`${baseUrl}/panel/billing/top-up`);
  const amount = page.getByLabel('Amount');
  await amount.waitFor();
  assert.equal(await amount.inputValue(), first);
  await shows(page, limits.shown);
  await amount.fill(tooFine);
  await page.getByRole('button', { name: 'Top up', exact: true }).click();
  await page.getByText(refusal, { exact: true }).waitFor();
  await amount.fill(topUp.text);
  await page.getByText('Save this payment method').click();
  await shows(page, `Top up ${topUp.shown}`);
  await page.getByRole('button', { name: /^Top up / }).click();
  await shows(page, `${topUp.shown} was added.`);
  const [made] = await session.ok<{ amount_minor: number; status: string }[]>('GET', '/top-ups');
  assert.deepEqual([made?.amount_minor, made?.status], [topUp.minor, 'succeeded']);

  await page.goto(`${baseUrl}/panel/billing`);
  await page.getByRole('button', { name: 'Set up', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const below = dialog.getByLabel('When the balance falls below');
  const given = await session.ok<{ threshold_minor: number }>('GET', '/auto-top-up');
  // The threshold begins with the smallest allowed top-up.
  assert.equal(Number(await below.inputValue()), Number(limits.min));
  assert.equal(await dialog.getByLabel('Top up by', { exact: true }).inputValue(), await below.inputValue());
  await below.fill(tooFine);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByText(refusal, { exact: true }).waitFor();
  assert.deepEqual(await session.ok('GET', '/auto-top-up'), given, 'nothing was sent');
  await below.fill(threshold.text);
  await dialog.getByLabel('Top up by', { exact: true }).fill(refill.text);
  await dialog.getByText('Top up automatically').click();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await shows(page, `${refill.shown} whenever the balance falls below ${threshold.shown}.`);
  const auto = await session.ok('GET', '/auto-top-up');
  assert.deepEqual(
    [auto.enabled, auto.threshold_minor, auto.amount_minor],
    [true, threshold.minor, refill.minor],
  );
}

/** The operator credits, corrects, gives promotional credit and refunds a part of a charge. */
async function asOperator(page: Page, { baseUrl }: Panel, accountId: string, money: Money) {
  const { tooFine, refusal, payment, adjustment, promo, refund } = money;
  const dialog = page.getByRole('dialog');
  await page.goto(`${baseUrl}/operator/accounts/${accountId}/money`);
  const give = async (kind: string, of: Typed, fill: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Credit', exact: true }).click();
    await dialog.getByLabel('Purpose').selectOption({ label: kind });
    await fill();
    const amount = dialog.getByLabel('Amount');
    await amount.pressSequentially(tooFine);
    await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
    await dialog.getByText(refusal, { exact: true }).waitFor();
    await amount.fill(of.text);
    await dialog.getByRole('button', { name: 'Credit', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await give('A payment received', payment, () => dialog.getByLabel('Reference').fill('transfer 1'));
  await give('A correction, with a reason', adjustment, () => dialog.getByLabel('Reason').fill('goodwill'));
  await shows(page, adjustment.shown);
  await give('Promotional credit', promo, async () => {
    await dialog.getByLabel('Reason').fill('welcome');
    await dialog.getByLabel('Valid until').fill('2026-03-01');
  });
  await shows(page, promo.shown);

  await page.getByRole('row', { name: 'New machine' }).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Refund' }).click();
  await dialog.getByLabel('Amount').pressSequentially(tooFine);
  await dialog.getByLabel('Reason').fill('slow for a day');
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
  // If it were left out, the whole rest of the charge would be refunded.
  await dialog.getByText(refusal, { exact: true }).waitFor();
  await dialog.getByLabel('Amount').fill(refund.text);
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
  await page.getByRole('table', { name: 'Corrections' }).getByText('slow for a day').waitFor();
  await shows(page, refund.shown);
}

/** The operator pays a part of a top-up back. */
async function sendBack(page: Page, { baseUrl }: Panel, { refund, refusal, tooFine }: Money) {
  const dialog = page.getByRole('dialog');
  await page.goto(`${baseUrl}/operator/money`);
  await page.getByRole('button', { name: 'Refund', exact: true }).first().click();
  await dialog.getByLabel('Amount').pressSequentially(tooFine);
  await dialog.getByLabel('Reason').fill('paid twice');
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
  await dialog.getByText(refusal, { exact: true }).waitFor();
  await dialog.getByLabel('Amount').fill(refund.text);
  await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('every amount that is typed is that amount in the currency of the catalog', {
  skip: NO_BROWSER,
}, async (t) => {
  await buildIfChanged();
  const browser = await startBrowser(t);
  for (const [currency, money] of Object.entries(CURRENCIES)) {
    await t.test(currency, async (t) => {
      const panel = await openPanel(t, {
        VAUBAN_CATALOG: await catalogIn(t, currency, money.limits),
        VAUBAN_PAYMENT_PROVIDERS: 'test',
        VAUBAN_RATE_LIMIT_ACCOUNT: '100000',
      });
      const { browser: session, accountId } = await signInAs(panel, 'owner');
      const customer = await pageOf(t, browser, panel, session, '/panel');
      await asCustomer(customer.page, panel, session, money);
      const wallet = () => session.ok('GET', '/v1/billing/wallet');
      const { available_minor: paidIn } = await wallet();
      assert.equal(paidIn, money.topUp.minor);
      const body = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
      const { vm } = await session.ok('POST', '/v1/vm', { body, idempotencyKey: 'buy' });
      await session.ok('GET', `/v1/vm/${vm.id}?wait_seconds=30`);
      const { available_minor: left } = await wallet();

      const { browser: desk } = await enrolledOperator(panel);
      const operator = await pageOf(t, browser, panel, desk, '/operator');
      await asOperator(operator.page, panel, accountId, money);
      const before = (await wallet()).available_minor;
      await sendBack(operator.page, panel, money);
      assert.equal((await wallet()).available_minor, before - money.refund.minor);
      const { available_minor, promo_minor, currency: of } = await wallet();
      const { payment, adjustment, promo } = money;
      assert.deepEqual(
        [of, available_minor - left, promo_minor],
        [currency, payment.minor + adjustment.minor + promo.minor, promo.minor],
        'the refund of the charge went out again with that of the top-up',
      );
      assert.deepEqual([...customer.complaints, ...operator.complaints], []);
      assert.deepEqual(await auditNow(panel.db), []);
    });
  }
});
