import type { ActiveSession } from '../../../access/sessions.ts';
import { TOTP_PURPOSE, totpStep } from '../../../access/totp.ts';
import type { Transaction } from '../../../db/database.ts';
import { findTotp, takeTotpStep } from '../../../db/queries/totps.ts';
import type { PanelServices } from '../../../panel/endpoint.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';

/** The session of a person who has shown a password and owes the second factor; counts the attempt. */
export async function requireSecondFactorStage(
  session: ActiveSession | undefined,
  { attempts }: PanelServices,
): Promise<ActiveSession> {
  if (session?.stage !== 'second_factor')
    throw new ApiError('session_required', 'Sign in with your password first.');
  await attempts.take('second_factor', session.personId);
  await attempts.take('second_factor_day', session.personId);
  return session;
}

/** Forgets the attempts, once the sign-in is committed: who succeeded was no guesser. */
export function forgetAttempts(tx: Transaction, { attempts, logger }: PanelServices, personId: string): void {
  tx.afterCommit(() => {
    for (const kind of ['second_factor', 'second_factor_day'] as const)
      attempts.forget(kind, personId).catch((error) => logger.warn({ err: error }, 'attempts not forgotten'));
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
