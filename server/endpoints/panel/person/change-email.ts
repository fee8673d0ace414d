import { findPersonByEmail, lockPerson } from '../../../db/queries/access/people.ts';
import { doneOrUndone } from '../../../db/undone.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { addressOf, Email } from '../shared/inputs.ts';
import { mailAlreadySignedUp, mailLink } from '../shared/mails.ts';

export const changeEmail = endpoint({
  audience: 'panel',
  operation: 'changeEmail',
  method: 'POST',
  path: '/person/email',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Request a change of the email address',
  description:
    'Mails a link to the new address; nothing changes until it is opened. The response does not reveal whether someone ' +
    'has that address.',
  body: Input({ email: Email }),
  data: Shape({}),
  errors: [],
  async prepare({ body, session, services: { attempts } }) {
    const email = addressOf(body.email);
    await attempts.take('confirm', session.personId);
    const isWithin = await attempts.allows('mail_change', `${email} ${session.personId}`);
    return { email, mayMail: isWithin && (await attempts.allows('mail_change_all', email)) };
  },
  async handle({ db, session, services, prepared: { email, mayMail } }) {
    const person = await lockPerson(db, session.personId);
    const holder = await findPersonByEmail(db, email);
    if (!mayMail || !person) return { data: {} };
    const isTaken = holder !== undefined && holder.id !== person.id;
    await doneOrUndone(db, !isTaken, () =>
      mailLink(db, services, { purpose: 'change_email', personId: person.id, email }, person.locale),
    );
    await doneOrUndone(db, isTaken, () =>
      mailAlreadySignedUp(db, services, holder ?? { email, locale: person.locale }),
    );
    return { data: {} };
  },
});
