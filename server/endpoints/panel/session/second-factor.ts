import type { ActiveSession } from '../../../access/sessions.ts';
import { TOTP_PURPOSE, totpStep } from '../../../access/totp.ts';
import type { Transaction } from '../../../db/database.ts';
import { findTotp, takeTotpStep } from '../../../db/queries/access/totps.ts';
import type { Browser } from '../../../http/panel/browser.ts';
import type { PanelServices } from '../../../http/services.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { knownDeviceOf } from '../shared/known-device.ts';

/**
 * A person who has entered a password and still has to show the second factor, and the name under which their codes are
 * counted.
 */
export interface SecondFactorTry {
  personId: string;
  /** A known device is counted separately, so that someone who knows the password cannot lock the owner out. */
  guesser: string;
}

/** Returns the person of a session that still has to show the second factor, and counts the attempt. */
export async function requireSecondFactorStage(
  session: ActiveSession | undefined,
  browser: Browser,
  services: PanelServices,
): Promise<SecondFactorTry> {
  if (session?.stage !== 'second_factor')
    throw new ApiError('session_required', 'Sign in with your password first.');
  const { personId } = session;
  return { personId, guesser: await countSecondFactor(services, browser, personId) };
}

/**
 * Counts a code before it is checked, and returns the name under which it was counted. Known devices also share a
 * limit: someone who reads a person's mail becomes a new device with each password reset, and must not get new guesses
 * with each.
 */
export async function countSecondFactor(
  services: PanelServices,
  browser: Browser,
  personId: string,
): Promise<string> {
  const device = await knownDeviceOf(services, browser, personId);
  const { attempts } = services;
  const isKnown = device !== undefined && (await attempts.allows('second_factor_devices', personId));
  const guesser = isKnown ? `${personId} ${device}` : personId;
  await attempts.take('second_factor', guesser);
  await attempts.take('second_factor_day', guesser);
  return guesser;
}

/**
 * Resets the attempts once the sign-in is committed, because someone who succeeded was not guessing. The attempts of
 * other devices stay, because those may still be guessing.
 */
export function forgetAttempts(
  tx: Transaction,
  { attempts, logger }: PanelServices,
  { personId, guesser }: SecondFactorTry,
): void {
  tx.afterCommit(() => {
    const forgotten = [
      attempts.forget('second_factor', guesser),
      attempts.forget('second_factor_day', guesser),
      ...(guesser === personId ? [] : [attempts.giveBack('second_factor_devices', personId)]),
    ];
    for (const one of forgotten) one.catch((error) => logger.warn({ err: error }, 'attempts not forgotten'));
  });
}

/** The refusal of a code, whether it is wrong, expired or used. */
export const wrongCode = () => invalidField('code', 'incorrect', 'is wrong or has already been used');

/** Uses up the code of an authenticator app, or refuses it. */
export async function takeTotpCode(
  tx: Transaction,
  { secrets, clock }: PanelServices,
  personId: string,
  code: string,
): Promise<void> {
  const totp = await findTotp(tx, personId);
  if (!totp) throw wrongCode();
  const now = clock.now();
  const step = await totpStep(secrets.open(totp.secret, TOTP_PURPOSE), code, now);
  if (step === undefined || !(await takeTotpStep(tx, personId, { step, secret: totp.secret }, now)))
    throw wrongCode();
}
