/** Seconds that a code is shown for. */
const PERIOD = 30;
const DIGITS = 6;
/** Steps around the present one that are taken: clocks differ, and people type slowly. */
const WINDOW = 1;
/** What a secret is sealed for where it is stored. */
export const TOTP_PURPOSE = 'totp';
export const TOTP_CODE = '^[0-9]{6}$';

/** The secret of an authenticator app, in base32, and the address that a QR code carries to it. */
export async function makeTotp(issuer: string, label: string): Promise<{ secret: string; uri: string }> {
  const { Secret, TOTP } = await import('otpauth');
  const secret = new Secret({ size: 20 });
  const totp = new TOTP({ issuer, label, secret, period: PERIOD, digits: DIGITS });
  return { secret: secret.base32, uri: totp.toString() };
}

/** The time step whose code this is; undefined where it is none of those around `now`. */
export async function totpStep(secret: string, code: string, now: Date): Promise<number | undefined> {
  const { Secret, TOTP } = await import('otpauth');
  const timestamp = now.getTime();
  const options = { secret: Secret.fromBase32(secret), period: PERIOD, digits: DIGITS };
  const delta = new TOTP(options).validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / PERIOD) + delta;
}
