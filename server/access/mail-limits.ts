import { type Attempts, LIMITS } from './attempts.ts';
import { MOST_DEVICES } from './realms.ts';

const DAY_MS = 86_400_000;

/** A request to mail an address: for what purpose, from which network, and on which known device of the address. */
export interface MailTry {
  /** Each is counted separately, so that mails for one purpose never use up those for another. */
  purpose: 'sign_up' | 'reset';
  email: string;
  network: string;
  /** The device's id; undefined if the address does not know it. */
  device: string | undefined;
}

/**
 * The most mails of one purpose that others can cause an address to receive in a day: six at once, three for each
 * network, and then one every 45 minutes. Its known devices have five each.
 */
export const MAILS_A_DAY = {
  strangers: LIMITS.mail_first.most + DAY_MS / LIMITS.mail_again.windowMs,
  devices: MOST_DEVICES * LIMITS.mail_device.most,
} as const;

/**
 * Returns whether to send a mail for a request. Strangers cannot keep mails from an owner: a known device has its own
 * allowance, and everyone else gets either a new mail, or has one from the last 45 minutes whose link stays valid for
 * at least 15 more.
 */
export async function mayMail(
  attempts: Attempts,
  { purpose, email, network, device }: MailTry,
): Promise<boolean> {
  const to = `${purpose} ${email}`;
  if (device !== undefined && (await attempts.allows('mail_device', `${to} ${device}`))) return true;
  if ((await attempts.allows('mail_here', `${to} ${network}`)) && (await attempts.allows('mail_first', to)))
    return true;
  return attempts.allows('mail_again', to);
}
