import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { button, dialog, heading, PERSON, type Stage } from './stage.ts';

/** Signs up, and chooses a password on the page behind the mailed link. */
export async function signsUp({ page, baseUrl, mailedLink }: Stage): Promise<void> {
  await page.goto(`${baseUrl}/panel/sign-up`);
  await page.getByLabel('E-mail').fill(PERSON.email);
  await button(page, 'Send link').click();
  await heading(page, 'Check your mail').waitFor();
  const link = await mailedLink('verify-email');
  await page.goto(link);
  await page.getByLabel('Your name').fill(PERSON.name);
  assert.equal(new URL(page.url()).hash, '', 'the secret of the link is gone from the address');
  await page.getByLabel('Password').fill(PERSON.password);
  await button(page, 'Create account').click();
  await page.waitForURL('**/panel/machines');
  await page.goto(link);
  await heading(page, 'This link no longer works').waitFor();
}

async function typesPassword(page: Stage['page']): Promise<void> {
  await heading(page, 'Sign in').waitFor();
  await page.getByLabel('E-mail').fill(PERSON.email);
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password);
  await button(page, 'Sign in').click();
}

/** Sets up the authenticator app and signs in with its code. */
export async function addsAuthenticatorApp({ page, baseUrl, clock }: Stage): Promise<void> {
  await page.goto(`${baseUrl}/panel/account/security`);
  await button(page, 'Set up').click();
  const shown = await dialog(page)
    .getByText(/^[A-Z2-7]{16,}$/)
    .innerText();
  const codes = new TOTP({ secret: Secret.fromBase32(shown) });
  const code = () => codes.generate({ timestamp: clock.now().getTime() });
  const used = code();
  await dialog(page).getByLabel('Code', { exact: true }).fill(used);
  await button(page, 'Confirm').click();
  const recovery = await dialog(page).getByRole('region', { name: 'Recovery codes' }).innerText();
  assert.equal(recovery.trim().split('\n').length, 10);
  await button(page, 'I have saved them').click();
  await signsOut({ page });
  await typesPassword(page);
  await heading(page, 'Second step').waitFor();
  // The code that confirmed the app cannot be used again.
  await page.getByLabel('Code', { exact: true }).fill(used);
  await button(page, 'Continue').click();
  await page.locator('[aria-invalid="true"], [role="alert"]').first().waitFor();
  clock.advance(30_000);
  await page.getByLabel('Code', { exact: true }).fill(code());
  await button(page, 'Continue').click();
  await page.waitForURL('**/panel/machines');
}

export async function signsOut({ page }: Pick<Stage, 'page'>): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
}

/** Adds a passkey and signs in with it. */
export async function addsPasskey(stage: Stage): Promise<void> {
  await registersPasskey(stage, 'Laptop');
  await signsOut(stage);
  await signsInByPasskey(stage);
}

/** Adds a passkey, stored by the browser's virtual authenticator. */
export async function registersPasskey({ context, page, baseUrl }: Stage, name: string): Promise<void> {
  const devices = await context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${baseUrl}/panel/account/security`);
  await button(page, 'Add passkey').click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByRole('button', { name: 'Add passkey' }).click();
  await page.getByRole('cell', { name, exact: true }).waitFor();
}

export async function signsInByPasskey({ page }: Stage): Promise<void> {
  await button(page, 'Sign in with a passkey').click();
  await page.waitForURL('**/panel/machines');
}

/**
 * Closes the account, which has neither machines nor money left. This needs a recent sign-in; the clock has advanced
 * too far since the last one.
 */
export async function closesAccount(stage: Stage): Promise<void> {
  const { page, baseUrl } = stage;
  await signsOut(stage);
  await signsInByPasskey(stage);
  await page.goto(`${baseUrl}/panel/account/close`);
  await button(page, 'Close account').click();
  await dialog(page).getByRole('textbox').fill(PERSON.name);
  await dialog(page).getByRole('button', { name: 'Close account' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith('/close'));
}
