import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parse, stringify } from 'yaml';
import { NO_BROWSER, newPage, startBrowser } from '../../consoles/support/browser.ts';
import { SELLER } from '../../documents/support/samples.ts';
import { temporaryDirectory } from '../../operator/support.ts';
import { defer } from '../../support/cleanup.ts';
import { REPOSITORY } from '../../support/source.ts';
import { openPanel, type Panel, signInAs, type TestBrowser } from '../support/panel.ts';
import { looksRight } from './support/looks.ts';
import { buildIfChanged } from './support/panel-page.ts';

const PROFILE = {
  ...{ kind: 'business', name: 'Example Ltd', street: 'A 1', city: 'Amsterdam', postcode: null },
  country: 'NL',
};
const HOME = { ...PROFILE, city: 'Köln', country: 'DE', vat_id: 'DE136695976' };

/** The shipped catalog at 19 %, with net prices for businesses: s1 is 3.99 of which 3.35 is net. */
async function netCatalog(t: TestContext): Promise<string> {
  const catalog = parse(readFileSync(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(catalog, { tax_rate: '0.19', seller, business_prices: 'net' });
  const path = join(await temporaryDirectory(t), 'catalog.yaml');
  writeFileSync(path, stringify(catalog));
  return path;
}

async function pageOf(
  t: TestContext,
  browser: Browser,
  { baseUrl }: Panel,
  { cookie }: TestBrowser,
  locale: string,
) {
  const opened = await newPage(browser, { locale });
  defer(t, () => opened.page.context().close());
  const [name, value] = cookie!.split('=') as [string, string];
  await opened.page.context().addCookies([{ name, value, url: `${baseUrl}/panel` }]);
  return opened;
}

/** Returns the text of the order, with plain spaces. */
async function orderText(page: Page, label: string): Promise<string> {
  const order = page.getByRole('complementary', { name: label });
  await order
    .getByText(/\d[.,]\d\d/)
    .first()
    .waitFor();
  return (await order.innerText()).replaceAll(/\s+/g, ' ');
}

/** The row of plan s1, with plain spaces. */
async function firstPlan(page: Page): Promise<string> {
  const row = page.getByRole('radio').locator('xpath=ancestor::label').filter({ hasText: 'S1' });
  return (await row.first().innerText()).replaceAll(/\s+/g, ' ');
}

test('a business sees net prices, tax and total, and is charged the total', {
  skip: NO_BROWSER,
}, async (t) => {
  await buildIfChanged();
  const browser = await startBrowser(t);
  const panel = await openPanel(t, {
    VAUBAN_CATALOG: await netCatalog(t),
    VAUBAN_PAYMENT_PROVIDERS: 'test',
    VAUBAN_RATE_LIMIT_ACCOUNT: '100000',
  });
  const { browser: session } = await signInAs(panel, 'owner');
  const body = { amount_minor: 100_00, provider: 'test' };
  await session.ok('POST', '/top-ups', { body, idempotencyKey: 'top-up' });
  const { page, complaints } = await pageOf(t, browser, panel, session, 'en');
  const create = `${panel.baseUrl}/panel/machines/new`;

  await page.goto(create);
  assert.match(await orderText(page, 'Order'), /€3\.99 per month, paid in advance/);
  assert.doesNotMatch(await orderText(page, 'Order'), /net/);

  await t.test('from the moment on at which its VAT id is saved', async () => {
    await session.ok('PUT', '/billing-profile', { body: { ...PROFILE, vat_id: null } });
    await page.getByRole('link', { name: 'Billing' }).first().click();
    await page.getByText('Billing details', { exact: true }).first().click();
    await page.getByLabel('VAT identification number').fill('NL004495445B01');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    await page.getByRole('link', { name: 'Machines' }).first().click();
    await page.getByRole('link', { name: 'Create machine' }).first().click();
    assert.match(await orderText(page, 'Order'), /€3\.35 per month, paid in advance net, no VAT is due/);
    assert.match(await firstPlan(page), /€3\.35/);
    await page.getByText('Net prices, without VAT').waitFor();
  });

  await t.test('at home it pays the tax', async () => {
    await session.ok('PUT', '/billing-profile', { body: HOME });
    await page.goto(create);
    assert.match(
      await orderText(page, 'Order'),
      /€3\.99 per month, paid in advance €3\.35 net plus €0\.64 VAT/,
    );
    assert.match(await firstPlan(page), /€3\.35/);
    await page.getByText('Net prices, without VAT').waitFor();
    await page.getByLabel('Hostname').fill('web-1');
    await page.getByRole('button', { name: 'Buy and create', exact: true }).click();
    await page.getByRole('dialog').waitFor();
    const { available_minor } = await session.ok('GET', '/v1/billing/wallet');
    assert.equal(available_minor, 100_00 - 399);
  });

  await t.test('its pages look right in both themes and languages', async () => {
    const [vm] = await session.ok<{ id: string }[]>('GET', '/v1/vm');
    await session.ok('GET', `/v1/vm/${vm!.id}?wait_seconds=30`);
    for (const locale of ['en', 'de']) {
      await session.ok('PATCH', '/person', { body: { locale } });
      const opened = await pageOf(t, browser, panel, session, locale);
      await looksRight(opened.page, create, `create ${locale}`);
      await looksRight(opened.page, `${panel.baseUrl}/panel/machines/${vm!.id}/resize`, `resize ${locale}`);
      assert.deepEqual(opened.complaints, []);
    }
  });
  assert.deepEqual(complaints, []);
});
