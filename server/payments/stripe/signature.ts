import { createHmac, timingSafeEqual } from 'node:crypto';

/** The maximum age of a signature, and how far another clock may be ahead: Stripe's own tolerance. */
const TOLERANCE_SECONDS = 300;
/** Most signatures checked: while a secret is being replaced, there are two. */
const MAX_SIGNATURES = 10;

/**
 * Returns whether `header`, a `Stripe-Signature` such as `t=1492774577,v1=5257a8…`, signs `body` with `secret` and is
 * at most five minutes old. The body must be the original bytes.
 */
export function isSigned(body: Buffer, header: unknown, secret: string, now: Date): boolean {
  if (typeof header !== 'string') return false;
  const entries = header.split(',').map((entry) => entry.split('=', 2) as [string, string?]);
  const time = entries.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(time)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return entries
    .filter(([name]) => name === 'v1')
    .slice(0, MAX_SIGNATURES)
    .map(([, hex = '']) => Buffer.from(hex, 'hex'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
