import assert from 'node:assert/strict';
import { Secret, TOTP } from 'otpauth';
import { OPERATOR_API } from '../../../server/http/operator-panel/operator-mount.ts';
import { call } from '../../operator/support.ts';
import { type Panel, TestBrowser } from '../../panel/support/panel.ts';

export const PASSWORD = 'seven quiet otters';
let made = 0;

/** Returns a browser at the operator's pages, before the sign-in. */
export const operatorBrowser = (panel: { baseUrl: string }) =>
  new TestBrowser(panel, undefined, OPERATOR_API);

/** Returns the code that an authenticator app shows at the service's time. */
export function codeOf({ clock }: Panel, secret: string): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
}

/** Creates an operator and returns the secret of their link, like `vaubanctl operator add`. */
export async function newOperator({ operatorSocket }: Panel, email = `operator${made++}@example.com`) {
  const reply = await call(operatorSocket, 'POST', '/operators', { email });
  assert.equal(reply.status, 200, reply.text);
  return { email, token: (reply.json().data.url as string).split('#')[1]! };
}

/** Returns an operator who has just used their link and has no second factor yet. */
export async function linkedOperator(panel: Panel) {
  const { email, token } = await newOperator(panel);
  const browser = operatorBrowser(panel);
  await browser.ok('POST', '/sign-in/link', { body: { token } });
  return { email, browser };
}

/** Returns an operator with a password and an authenticator app, signed in. */
export async function enrolledOperator(panel: Panel) {
  const { email, browser } = await linkedOperator(panel);
  await browser.ok('POST', '/person/password', { body: { password: PASSWORD } });
  const { secret } = await browser.ok('POST', '/person/totp', { body: {} });
  const body = { code: codeOf(panel, secret) };
  const { recovery_codes: recoveryCodes } = await browser.ok('POST', '/person/totp/confirm', { body });
  return { email, browser, secret, recoveryCodes: recoveryCodes as string[] };
}
