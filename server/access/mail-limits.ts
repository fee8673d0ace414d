import { type Attempts, LIMITS } from './attempts.ts';
import { MOST_DEVICES } from './realms.ts';

const DAY_MS = 86_400_000;

/** Who has a mail sent to an address: for what, from which network, and on which known device of the address. */
export interface MailTry {
  /** Each is counted apart, so that mails about one thing never use up those about another. */
  purpose: 'sign_up' | 'reset';
  email: string;
  network: string;
  /** The id of the device; undefined if the address does not know it. */
  device: string | undefined;
}

/**
 * The most mails of one purpose in a day that an address gets because others ask for them: six at once, three for each
 * network, and then one in 45 minutes. Its known devices have five each.
 */
export const MAILS_A_DAY = {
  strangers: LIMITS.mail_first.most + DAY_MS / LIMITS.mail_again.windowMs,
  devices: MOST_DEVICES * LIMITS.mail_device.most,
} as const;

/**
 * Whether a mail is sent for a request. Strangers cannot keep one from an owner: a known device has mails of its own, and
 * for everyone else there is either a new one, or one of the last 45 minutes whose link is good for 15 more at least.
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
