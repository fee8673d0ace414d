import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BROWSER, startBrowser } from '../../consoles/support/browser.ts';
import { newLink, newPerson, openPanel } from '../support/panel.ts';
import { buildIfChanged, signInWithLink } from './support/panel-page.ts';

/** The panel's message at an IP address and the text of its link, by browser language. */
const WORDS = {
  en: ['Passkeys work only at a host name', 'Open this page at localhost'],
  de: ['Passkeys gelten nur für einen Hostnamen', 'Diese Seite unter localhost öffnen'],
} as const;

test('at an IP address the panel says why there are no passkeys, and leads to localhost', {
  skip: NO_BROWSER,
}, async (t) => {
  await buildIfChanged();
  const panel = await openPanel(t);
  const browser = await startBrowser(t);
  for (const [locale, [why, name]] of Object.entries(WORDS)) {
    const page = await (await browser.newContext({ locale })).newPage();
    await page.goto(`${panel.baseUrl}/panel/sign-in`);
    await page.getByText(why, { exact: false }).waitFor();
    assert.equal(await page.getByRole('button', { name: /passkey/i }).count(), 0);
    await page.getByRole('link', { name }).click();
    await page.waitForURL((url) => url.hostname === 'localhost' && url.pathname === '/panel/sign-in');
    await page.getByRole('button', { name: /passkey/i }).waitFor();
    assert.equal(await page.getByText(why, { exact: false }).count(), 0);
  }
  const page = await browser.newPage();
  const { personId, email } = await newPerson(panel);
  const token = await newLink(panel, { purpose: 'sign_in_link', personId, email });
  await signInWithLink(page, `${panel.baseUrl}/panel/sign-in/link#${token}`);
  await page.goto(`${panel.baseUrl}/panel/account/security`);
  await page.getByText(WORDS.en[0], { exact: false }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add passkey' }).count(), 0);
});
