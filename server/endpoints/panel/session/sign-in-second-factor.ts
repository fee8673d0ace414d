import { TOTP_CODE } from '../../../access/totp.ts';
import { lockPerson } from '../../../db/queries/access/people.ts';
import { findTotp } from '../../../db/queries/access/totps.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { forgetAttempts, requireSecondFactorStage, takeTotpCode, wrongCode } from './second-factor.ts';
import { SignInShape } from './sign-in-shape.ts';

export const TotpCode = Type.String({
  pattern: TOTP_CODE,
  'x-expected': 'six digits',
  description: 'The code shown by the authenticator app',
  examples: ['123456'],
});

export const signInSecondFactor = endpoint({
  audience: 'panel',
  operation: 'signInSecondFactor',
  method: 'POST',
  path: '/sign-in/second-factor',
  access: 'public',
  tag: 'session',
  summary: 'Complete a sign-in with the second factor',
  description: 'Takes the code of an authenticator app after the password. Each code works once.',
  body: Input({ code: TotpCode }),
  data: SignInShape,
  errors: ['session_required'],
  prepare: ({ session, browser, services }) => requireSecondFactorStage(session, browser, services),
  async handle(context) {
    const { db, body, services, prepared } = context;
    const person = await lockPerson(db, prepared.personId);
    const totp = await findTotp(db, prepared.personId);
    if (!person || !totp?.confirmed_at) throw wrongCode();
    await takeTotpCode(db, services, person.id, body.code);
    forgetAttempts(db, services, prepared);
    return { data: await completeSignIn(context, person, 'totp') };
  },
});
