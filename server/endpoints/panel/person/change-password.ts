import { requireGoodPassword } from '../../../access/passwords.ts';
import { findPerson, lockPerson } from '../../../db/queries/access/people.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { setPassword } from '../../../domain/people/set-password.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { NewPassword } from '../shared/inputs.ts';
import { rememberDevice } from '../shared/known-device.ts';
import { mailSecurityChange } from '../shared/mails.ts';

export const changePassword = endpoint({
  audience: 'panel',
  operation: 'changePassword',
  method: 'POST',
  path: '/person/password',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Change the password, or set the first one',
  description: 'Ends all other sessions.',
  body: Input({ password: NewPassword }),
  data: Shape({}),
  errors: [],
  async prepare({ body, session, services: { db, attempts, passwords } }) {
    await attempts.take('confirm', session.personId);
    const person = await findPerson(db, session.personId);
    if (!person) throw notFound();
    requireGoodPassword(body.password, person.email);
    return passwords.hash(body.password);
  },
  async handle({ db, session, browser, services, prepared: passwordHash }) {
    const person = await lockPerson(db, session.personId);
    await setPassword(db, services, { personId: session.personId, passwordHash, keepSession: session.id });
    await rememberDevice(db, services, browser, session.personId);
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'person.password_changed',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'password_changed', browser);
    return { data: {} };
  },
});
