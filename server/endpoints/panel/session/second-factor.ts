import type { ActiveSession } from '../../../access/sessions.ts';
import { TOTP_PURPOSE, totpStep } from '../../../access/totp.ts';
import type { Transaction } from '../../../db/database.ts';
import { findTotp, takeTotpStep } from '../../../db/queries/totps.ts';
import type { Browser } from '../../../panel/browser.ts';
import type { PanelServices } from '../../../panel/endpoint.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { knownDeviceOf } from '../shared/known-device.ts';

/** A person who has shown a password and owes the second factor, and as whom their codes are counted. */
export interface SecondFactorTry {
  personId: string;
  /** A known device is counted apart, so that someone who knows the password does not keep the owner out. */
  guesser: string;
}

/** The person of a session that owes the second factor; counts the attempt. */
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
 * Counts a code before it is checked; as whom. Known devices have a limit together too: someone who reads a person's mail
 * becomes another one with each reset, and must not guess anew with each.
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

/** Forgets the attempts, once the sign-in is committed: who succeeded was no guesser. Other devices may still be guessing. */
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

/** The refusal of a code, whichever it is: wrong, expired or used. */
export const wrongCode = () => invalidField('code', 'wrong', 'is wrong, or was used before');

/** Uses the code of an authenticator app up, or refuses it. */
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
