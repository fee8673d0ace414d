/** Seconds for which a code is shown. */
const PERIOD = 30;
const DIGITS = 6;
/** Number of steps accepted before and after the current one: clocks differ, and people type slowly. */
const WINDOW = 1;
/** Purpose under which stored secrets are sealed. */
export const TOTP_PURPOSE = 'totp';
export const TOTP_CODE = '^[0-9]{6}$';

/** Returns the secret for an authenticator app, in base32, and the URI for a QR code. */
export async function makeTotp(issuer: string, label: string): Promise<{ secret: string; uri: string }> {
  const { Secret, TOTP } = await import('otpauth');
  const secret = new Secret({ size: 20 });
  const totp = new TOTP({ issuer, label, secret, period: PERIOD, digits: DIGITS });
  return { secret: secret.base32, uri: totp.toString() };
}

/** Returns the time step that a code belongs to; undefined if it matches none around `now`. */
export async function totpStep(secret: string, code: string, now: Date): Promise<number | undefined> {
  const { Secret, TOTP } = await import('otpauth');
  const timestamp = now.getTime();
  const options = { secret: Secret.fromBase32(secret), period: PERIOD, digits: DIGITS };
  const delta = new TOTP(options).validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta;
}
