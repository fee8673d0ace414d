import { findPersonByEmail } from '../../../db/queries/access/people.ts';
import { doneOrUndone } from '../../../db/undone.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { addressOf, Email } from '../shared/inputs.ts';
import { mailLink, mayRequestMail } from '../shared/mails.ts';

export const requestPasswordReset = endpoint({
  audience: 'panel',
  operation: 'requestPasswordReset',
  method: 'POST',
  path: '/password-reset',
  access: 'public',
  tag: 'session',
  summary: 'Request a link to choose a new password',
  description: 'The response does not reveal whether the address is known.',
  body: Input({ email: Email }),
  data: Shape({}),
  errors: [],
  async prepare({ body, browser, services }) {
    const email = addressOf(body.email);
    return { email, mayMail: await mayRequestMail(services, browser, 'reset', email) };
  },
  async handle({ db, services, prepared: { email, mayMail } }) {
    const person = await findPersonByEmail(db, email);
    if (mayMail)
      await doneOrUndone(db, person !== undefined, () => {
        const to = { email: person?.email ?? email, ...(person && { personId: person.id }) };
        return mailLink(db, services, { purpose: 'reset_password', ...to }, person?.locale ?? 'en');
      });
    return { data: {} };
  },
});
