import { lockPerson } from '../../../db/queries/access/people.ts';
import { changeAddress } from '../../../domain/people/change-address.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { LinkToken } from './sign-in-shape.ts';

export const verifyEmail = endpoint({
  audience: 'panel',
  operation: 'verifyEmail',
  method: 'POST',
  path: '/verify-email',
  access: 'public',
  tag: 'session',
  summary: 'Confirm a new email address with the link mailed to it',
  description: 'The link of a sign-up is for completeSignUp.',
  body: Input({ token: LinkToken }),
  data: Shape({ email: Type.String({ description: 'The address to sign in with from now on' }) }),
  errors: ['link_invalid'],
  async handle({ body, db, services, browser }) {
    const change = await peekMailToken(db, services, ['change_email'], body.token);
    const person = await lockPerson(db, change.person_id!);
    const { email } = await useMailToken(db, services, 'change_email', body.token);
    const old = person && (await changeAddress(db, services, { person, email, ip: browser.ip }));
    if (!old) throw linkInvalid('taken');
    await mailSecurityChange(db, services, old, 'email_changed', browser);
    return { data: { email } };
  },
});
