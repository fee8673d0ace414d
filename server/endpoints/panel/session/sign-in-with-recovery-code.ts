import { hashRecoveryCode } from '../../../access/recovery-codes.ts';
import { lockPerson } from '../../../db/queries/access/people.ts';
import { takeRecoveryCode } from '../../../db/queries/access/totps.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { forgetAttempts, requireSecondFactorStage, wrongCode } from './second-factor.ts';
import { SignInShape } from './sign-in-shape.ts';

export const signInWithRecoveryCode = endpoint({
  audience: 'panel',
  operation: 'signInWithRecoveryCode',
  method: 'POST',
  path: '/sign-in/recovery-code',
  access: 'public',
  tag: 'session',
  summary: 'Complete a sign-in with a recovery code instead of the second factor',
  body: Input({
    code: Type.String({ minLength: 1, maxLength: 40, examples: ['k7wd-3mqz-x2ne-9fht'] }),
  }),
  data: SignInShape,
  errors: ['session_required'],
  prepare: ({ session, browser, services }) => requireSecondFactorStage(session, browser, services),
  async handle(context) {
    const { db, body, services, prepared } = context;
    const person = await lockPerson(db, prepared.personId);
    const hash = hashRecoveryCode(body.code);
    if (!person || !(await takeRecoveryCode(db, person.id, hash, services.clock.now()))) throw wrongCode();
    forgetAttempts(db, services, prepared);
    return { data: await completeSignIn(context, person, 'recovery_code') };
  },
});
