import { makeTotp, TOTP_PURPOSE } from '../../../access/totp.ts';
import { findPerson } from '../../../db/queries/access/people.ts';
import { writeTotp } from '../../../db/queries/access/totps.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

export const beginTotp = endpoint({
  audience: 'panel',
  operation: 'beginTotp',
  method: 'POST',
  path: '/person/totp',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Create a secret for an authenticator app',
  description: 'Has no effect until confirmTotp has received a code.',
  data: Shape({
    secret: Type.String({ description: 'The secret in base32, for typing' }),
    uri: Type.String({ description: 'The secret as a URI, for a QR code' }),
  }),
  errors: ['invalid_state'],
  async prepare({ session, services: { db, brand } }) {
    const person = await findPerson(db, session.personId);
    if (!person) throw notFound();
    return makeTotp(brand.name, person.email);
  },
  async handle({ db, session, services: { secrets }, prepared, now }) {
    const sealed = secrets.seal(prepared.secret, TOTP_PURPOSE);
    if (!(await writeTotp(db, session.personId, sealed, now)))
      throw new ApiError('invalid_state', 'An authenticator app is already set up. Remove it first.');
    return { data: prepared };
  },
});
