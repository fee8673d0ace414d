import { findPerson } from '../../../db/queries/access/people.ts';
import { confirmSession as markConfirmed } from '../../../db/queries/access/sessions.ts';
import { CONFIRM_MINUTES, endpoint } from '../../../http/endpoint.ts';
import { Input, Shape, Timestamp } from '../../../http/schemas.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { PasskeyResponse, usePasskey } from '../passkeys/use-passkey.ts';
import { Password } from '../shared/inputs.ts';

export const confirmSession = endpoint({
  audience: 'panel',
  operation: 'confirmSession',
  method: 'POST',
  path: '/session/confirm',
  access: 'person',
  tag: 'session',
  summary: 'Confirm the identity of the signed-in person',
  description: `Takes the password or the response of a passkey. Sensitive operations are then allowed for ${CONFIRM_MINUTES} minutes.`,
  body: Input({ password: Type.Optional(Password), response: Type.Optional(PasskeyResponse) }),
  data: Shape({ confirmed_until: Timestamp() }),
  errors: ['invalid_state', 'sign_in_failed'],
  async prepare({ body, session, browser, services }) {
    const { db, attempts, passwords } = services;
    await attempts.take('confirm', session.personId);
    if (body.response !== undefined) {
      const { personId } = await usePasskey(services, browser, body.response);
      if (personId !== session.personId)
        throw invalidField('response', 'incorrect', 'belongs to another person');
      return;
    }
    const person = await findPerson(db, session.personId);
    if (body.password === undefined) throw invalidField('password', 'required', 'is required');
    if (person?.password_hash === null)
      throw new ApiError(
        'invalid_state',
        'You have no password. Sign in again, or request a link to set one.',
      );
    if (!(await passwords.verify(person?.password_hash ?? null, body.password)))
      throw invalidField('password', 'incorrect', 'is wrong');
  },
  async handle({ db, session, now, services: { attempts, logger } }) {
    await markConfirmed(db, session.id, now);
    db.afterCommit(() => {
      attempts
        .forget('confirm', session.personId)
        .catch((error) => logger.warn({ err: error }, 'attempts not forgotten'));
    });
    return { data: { confirmed_until: new Date(now.getTime() + CONFIRM_MINUTES * 60_000) } };
  },
});
