import { requireGoodPassword } from '../../../access/passwords.ts';
import { findPersonByEmail } from '../../../db/queries/people.ts';
import { createPerson } from '../../../domain/people/create-person.ts';
import { acceptInvitation, requireInvitation } from '../../../domain/people/invitations.ts';
import { Enum, Input, Shape } from '../../../http/schemas.ts';
import { localeOf } from '../../../mail/content.ts';
import { enqueueMail } from '../../../mail/outbox.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { addressOf, Email, Locale, NewPassword, PersonName } from '../shared/inputs.ts';
import { mailLink } from '../shared/mails.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { LinkToken } from './sign-in-shape.ts';

export const signUp = panelEndpoint({
  operation: 'signUp',
  method: 'POST',
  path: '/sign-up',
  access: 'public',
  tag: 'session',
  summary: 'Sign up',
  description:
    'Answered alike whether or not there is somebody with this address: what comes next is in a mail to it. Who comes by ' +
    'an invitation has got that mail already, and is signed in at once.',
  body: Input({
    email: Email,
    password: NewPassword,
    name: Type.Optional(PersonName),
    locale: Type.Optional(Locale),
    invitation: Type.Optional(LinkToken),
  }),
  data: Shape({ next: Enum(['verify_email', 'signed_in'], { description: 'What comes next' }) }),
  errors: ['sign_up_closed', 'link_invalid', 'invalid_state'],
  async prepare({ body, browser, services: { brand, attempts, passwords } }) {
    const email = addressOf(body.email);
    requireGoodPassword(body.password, email);
    if (brand.signUp === 'closed' || (brand.signUp === 'invitation' && body.invitation === undefined))
      throw new ApiError('sign_up_closed', CLOSED[brand.signUp]);
    await attempts.take('sign_up_network', browser.network);
    const mayMail = await attempts.allows('mail_to', email);
    // Whether or not it will be of use, so that time tells nothing.
    return { email, mayMail, passwordHash: await passwords.hash(body.password) };
  },
  async handle(context) {
    const { db, body, services, browser, prepared } = context;
    const { email, mayMail, passwordHash } = prepared;
    const { name = '', locale = services.brand.languages[0] ?? 'en' } = body;
    const newcomer = { password_hash: passwordHash, name: name.trim(), locale };
    if (body.invitation !== undefined) {
      await requireInvitation(db, services, body.invitation, email);
      const person = await createPerson(db, services.clock, {
        email,
        ...newcomer,
        passwordHash,
        verified: true,
      });
      await acceptInvitation(db, services, { token: body.invitation, personId: person.id, ip: browser.ip });
      await completeSignIn(context, person, 'invitation');
      return { data: { next: 'signed_in' } };
    }
    const there = await findPersonByEmail(db, email);
    if (there && mayMail) {
      const mail = { to: there.email, template: 'already_signed_up' as const, values: {} };
      await enqueueMail(db, services, { ...mail, locale: localeOf(there.locale) });
    } else if (mayMail) {
      await mailLink(db, services, { purpose: 'verify_email', email, newcomer }, locale);
    }
    return { data: { next: 'verify_email' } };
  },
});

const CLOSED = {
  closed: 'Sign-up is closed here; ask the operator.',
  invitation: 'Only who was invited can sign up here.',
};
