import { requireGoodPassword } from '../../../access/passwords.ts';
import { lockPerson } from '../../../db/queries/people.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { setPassword } from '../../../domain/people/set-password.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { panelEndpoint } from '../../../panel/endpoint.ts';
import { NewPassword } from '../shared/inputs.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { LinkToken } from './sign-in-shape.ts';

export const resetPasswordByMail = panelEndpoint({
  operation: 'resetPasswordByMail',
  method: 'POST',
  path: '/password-reset/complete',
  access: 'public',
  tag: 'session',
  summary: 'Choose a new password by the link of a mail',
  description:
    'Ends every session of the person. A second factor stays, and is asked for at the next sign-in.',
  body: Input({ token: LinkToken, password: NewPassword }),
  data: Shape({}),
  errors: ['link_invalid'],
  async prepare({ body, services }) {
    // Looked at first, so that nothing is hashed for who has no link.
    const token = await peekMailToken(services.db, services, 'reset_password', body.token);
    if (!token) throw linkInvalid();
    requireGoodPassword(body.password, token.email);
    return { personId: token.person_id!, passwordHash: await services.passwords.hash(body.password) };
  },
  async handle({ db, body, services, browser, prepared: { personId, passwordHash } }) {
    const person = await lockPerson(db, personId);
    const { person_id } = await useMailToken(db, services, 'reset_password', body.token);
    if (!person || person.id !== person_id) throw linkInvalid();
    await setPassword(db, services, { personId: person.id, passwordHash, keepSession: null });
    await recordAudit(db, services.clock, {
      accountId: null,
      personId: person.id,
      action: 'person.password_reset',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person, 'password_changed', browser);
    return { data: {} };
  },
});
