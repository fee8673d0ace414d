import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../../server/db/database.ts';
import { findPersonByEmail } from '../../../server/db/queries/access/people.ts';
import { NO_BROWSER, startBrowser } from '../../consoles/support/browser.ts';
import {
  linkIn,
  mailsTo,
  newLink,
  newPerson,
  openPanel,
  signInAs,
  signInByLink,
  TestBrowser,
} from '../support/panel.ts';
import { complaintsOf } from './support/complaints.ts';
import { looksRight } from './support/looks.ts';
import { buildIfChanged } from './support/panel-page.ts';

const PASSWORD = 'seven quiet otters';
const PHONE = { 'user-agent': 'Mozilla/5.0 (Android 16; Mobile) Firefox/150.0' };

async function openLinks(t: TestContext) {
  await buildIfChanged();
  const panel = await openPanel(t);
  const { db } = panel.services;
  // Everything that a link could create or change.
  const state = async () =>
    JSON.stringify([
      await db.query(sql`select id, email, password_hash from people order by id`),
      await db.query(sql`select id from accounts order by id`),
      await db.query(sql`select id, revoked_at from api_keys order by id`),
      await db.query(sql`select id from sessions order by id`),
      await db.query(sql`select id, used_at from mail_tokens order by id`),
    ]);
  const browser = await startBrowser(t);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const complaints = complaintsOf(context);
  /** Opens a new page at a link; `sent` lists the writes it has sent so far. */
  const open = async (url: string) => {
    const page = await context.newPage();
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(new URL(request.url()).pathname);
    });
    await page.goto(url);
    await page.locator('h1').first().waitFor();
    await page.locator('main [role="status"][aria-label]').first().waitFor({ state: 'detached' });
    return { page, sent };
  };
  return { panel, state, context, complaints, open };
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const title = (page: Page) => page.locator('h1').first().innerText();
const SHOWN = ['/panel/api/links/show'];

test('a mailed link that is opened does nothing before its button is pressed', {
  skip: NO_BROWSER,
}, async (t) => {
  const { panel, state, context, complaints, open } = await openLinks(t);
  const { db } = panel.services;
  const urlTo = async (email: string) => (await mailsTo(panel, email)).at(-1)!.values.url!;
  /** Opens a link twice, as a mail scanner and its owner do; neither may change anything. */
  const onlyLook = async (url: string) => {
    const before = await state();
    await (await open(url)).page.close();
    const opened = await open(url);
    assert.equal(await state(), before, `opening ${new URL(url).pathname} changes nothing`);
    assert.deepEqual(opened.sent, SHOWN);
    return opened.page;
  };

  await t.test("the operator's link that signs in once", async () => {
    const { personId, email } = await newPerson(panel);
    const token = await newLink(panel, { purpose: 'sign_in_link', personId, email });
    const page = await onlyLook(`${panel.baseUrl}/panel/sign-in/link#${token}`);
    await button(page, 'Sign in').click();
    await page.waitForURL('**/panel/');
    await context.clearCookies();
    await page.close();
  });

  await t.test('a change of address', async () => {
    const { browser, email } = await signInAs(panel, 'owner');
    await browser.ok('POST', '/person/email', { body: { email: 'new@example.com' } });
    const page = await onlyLook(await urlTo('new@example.com'));
    await button(page, 'Use this address').click();
    await page.getByRole('heading', { name: 'Your address has changed' }).waitFor();
    assert.equal(await findPersonByEmail(db, email), undefined);
    assert.ok(await findPersonByEmail(db, 'new@example.com'));
    await page.close();
  });

  await t.test('a sign-up, whose password is chosen by the reader of the mail', async () => {
    const email = 'anna@example.com';
    await new TestBrowser(panel).ok('POST', '/sign-up', { body: { email } });
    const url = await urlTo(email);
    const page = await onlyLook(url);
    assert.equal(await findPersonByEmail(db, email), undefined);
    await page.getByLabel('Your name').fill('Anna');
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Create account').click();
    await page.waitForURL('**/panel/machines');
    assert.equal((await findPersonByEmail(db, email))?.name, 'Anna');
    await page.close();
    const again = await open(url);
    assert.equal(await title(again.page), 'This link no longer works');
    await again.page.getByText('It has already been used', { exact: false }).waitFor();
    await context.clearCookies();
    await again.page.close();
  });

  await t.test('a new password, and the sessions that it ended', async () => {
    const { browser, email, personId } = await signInAs(panel, 'owner');
    await signInByLink(panel, personId);
    const made = await browser.ok('POST', '/keys', { body: { label: 'ci', scopes: ['vm:read'] } });
    await browser.ok('POST', '/keys', { body: { label: 'terraform', scopes: ['vm:read'] } });
    await new TestBrowser(panel).ok('POST', '/password-reset', { body: { email }, headers: PHONE });
    const page = await onlyLook(await urlTo(email));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByLabel('Revoke API keys too').check();
    await button(page, 'Save password').click();
    await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
    await page.getByText('2 sessions were signed out.', { exact: true }).waitFor();
    await page.getByText('2 API keys were revoked.', { exact: true }).waitFor();
    assert.equal((await browser.ask('GET', '/session')).status, 401);
    const use = () =>
      fetch(`${panel.baseUrl}/v1/vm`, { headers: { authorization: `Bearer ${made.secret}` } });
    assert.equal((await use()).status, 401);
    await page.close();
  });
  assert.deepEqual(complaints, []);
});

test('a link that does not work says why', { skip: NO_BROWSER }, async (t) => {
  const { panel, context, open } = await openLinks(t);
  const email = 'anna@example.com';
  const stranger = new TestBrowser(panel);
  await stranger.ok('POST', '/sign-up', { body: { email } });
  panel.clock.advance(1);
  await stranger.ok('POST', '/sign-up', { body: { email } });
  const [first, second] = await mailsTo(panel, email);
  const says = async (url: string, text: string) => {
    const { page } = await open(url);
    assert.equal(await title(page), 'This link no longer works');
    await page.getByText(text, { exact: false }).waitFor();
    await page.close();
  };
  await says(`${panel.baseUrl}/panel/verify-email`, 'The link is incomplete');
  await says(`${first!.values.url}x`, 'The link is incomplete');
  const body = { token: linkIn(second!), password: PASSWORD };
  await new TestBrowser(panel).ok('POST', '/sign-up/complete', { body });
  await says(second!.values.url!, 'It has already been used');
  await says(first!.values.url!, 'An account with this address already exists');
  const { id: personId } = (await findPersonByEmail(panel.services.db, email))!;
  const reset = async () =>
    `${panel.baseUrl}/panel/reset-password#${await newLink(panel, { purpose: 'reset_password', personId, email })}`;
  const old = await reset();
  panel.clock.advance(3_600_000);
  await says(old, 'It has expired');

  // An unreachable service says nothing about a link: the page keeps it, and it works once the service is back.
  const away = await context.newPage();
  await away.route('**/panel/api/links/show', (route) => route.abort());
  await away.goto(await reset());
  await away.getByText('The service cannot be reached', { exact: false }).waitFor();
  assert.equal(await title(away), 'Choose a new password');
  await away.unroute('**/panel/api/links/show');
  await button(away, 'Try again').click();
  await away.getByLabel('New password').waitFor();
  await away.close();

  // In a browser in which someone else is signed in.
  const { browser, email: other } = await signInAs(panel, 'owner');
  const [name, value] = browser.cookie!.split('=') as [string, string];
  await context.addCookies([{ name, value, url: panel.baseUrl }]);
  const { page } = await open(await reset());
  await page.getByText(`You are signed in as ${other}`, { exact: false }).waitFor();
});

test('the pages of links, in both themes, wide and narrow, by the keyboard too', {
  skip: NO_BROWSER,
}, async (t) => {
  const { panel, context, complaints } = await openLinks(t);
  const { personId, email } = await newPerson(panel);
  const { browser } = await signInAs(panel, 'owner');
  const [name, value] = browser.cookie!.split('=') as [string, string];
  await context.addCookies([{ name, value, url: panel.baseUrl }]);
  const page = await context.newPage();
  for (const [path, link] of [
    ['verify-email', { purpose: 'verify_email', email: 'anna@example.com' }],
    ['verify-email', { purpose: 'change_email', personId, email: 'new@example.com' }],
    ['reset-password', { purpose: 'reset_password', personId, email }],
    ['sign-in/link', { purpose: 'sign_in_link', personId, email }],
  ] as const) {
    const url = `${panel.baseUrl}/panel/${path}#${await newLink(panel, link)}`;
    // Open another URL in between: a browser does not reload a page when only the part behind the `#` changes.
    await page.goto('about:blank');
    await looksRight(page, url, link.purpose);
  }
  assert.deepEqual(complaints, []);
});
