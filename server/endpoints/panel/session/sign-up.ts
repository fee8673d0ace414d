import { findPersonByEmail } from '../../../db/queries/access/people.ts';
import { doneOrUndone } from '../../../db/undone.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { addressOf, Email, Locale } from '../shared/inputs.ts';
import { mailAlreadySignedUp, mailLink, mayRequestMail } from '../shared/mails.ts';
import { requireSignUp } from './complete-sign-up.ts';

export const signUp = endpoint({
  audience: 'panel',
  operation: 'signUp',
  method: 'POST',
  path: '/sign-up',
  access: 'public',
  tag: 'session',
  summary: 'Request a sign-up link',
  description:
    'The link is mailed to the address and used by completeSignUp; until then, there is no account. The response is the ' +
    'same if there is already an account with this address: its owner is informed by mail.',
  body: Input({ email: Email, locale: Type.Optional(Locale) }),
  data: Shape({}),
  errors: ['sign_up_closed'],
  async prepare({ body, browser, services }) {
    const email = addressOf(body.email);
    requireSignUp(services, { isInvited: false });
    return { email, mayMail: await mayRequestMail(services, browser, 'sign_up', email) };
  },
  async handle({ db, body, services, prepared: { email, mayMail } }) {
    const { locale = services.brand.languages[0] ?? 'en' } = body;
    const there = await findPersonByEmail(db, email);
    if (mayMail) {
      await doneOrUndone(db, !there, () =>
        mailLink(db, services, { purpose: 'verify_email', email }, locale),
      );
      await doneOrUndone(db, there !== undefined, () =>
        mailAlreadySignedUp(db, services, there ?? { email, locale }),
      );
    }
    return { data: {} };
  },
});
