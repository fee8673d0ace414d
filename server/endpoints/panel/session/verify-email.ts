import { lockPerson } from '../../../db/queries/people.ts';
import { changeAddress } from '../../../domain/people/change-address.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { welcome } from '../../../domain/people/welcome.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { LinkToken } from './sign-in-shape.ts';

export const verifyEmail = panelEndpoint({
  operation: 'verifyEmail',
  method: 'POST',
  path: '/verify-email',
  access: 'public',
  tag: 'session',
  summary: "Prove that an address is one's own",
  description:
    'By the link in a mail: of a sign-up, which makes the person and their account, or of a new address.',
  body: Input({ token: LinkToken }),
  data: Shape({ email: Type.String({ description: 'The address that is known now; sign in with it' }) }),
  errors: ['link_invalid', 'invalid_state'],
  async handle({ body, db, services, browser }) {
    const change = await peekMailToken(db, services, 'change_email', body.token);
    if (change) {
      const person = await lockPerson(db, change.person_id!);
      const token = await useMailToken(db, services, 'change_email', body.token);
      const old =
        person && (await changeAddress(db, services, { person, email: token.email, ip: browser.ip }));
      if (!old) throw linkInvalid();
      await mailSecurityChange(db, services, old, 'email_changed', browser);
      return { data: { email: token.email } };
    }
    const token = await peekMailToken(db, services, 'verify_email', body.token);
    if (!token) throw linkInvalid();
    // Who is first with an address is settled before the link is used up.
    await welcome(db, services, token, browser.ip);
    await useMailToken(db, services, 'verify_email', body.token);
    return { data: { email: token.email } };
  },
});
