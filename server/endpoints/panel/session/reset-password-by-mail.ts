import { requireGoodPassword } from '../../../access/passwords.ts';
import { lockPerson } from '../../../db/queries/access/people.ts';
import { listSessions } from '../../../db/queries/access/sessions.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { linkInvalid, peekMailToken, useMailToken } from '../../../domain/people/mail-tokens.ts';
import { revokeKeysOf } from '../../../domain/people/revoke-keys.ts';
import { setPassword } from '../../../domain/people/set-password.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { NewPassword } from '../shared/inputs.ts';
import { rememberDevice } from '../shared/known-device.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { LinkToken } from './sign-in-shape.ts';

export const resetPasswordByMail = endpoint({
  audience: 'panel',
  operation: 'resetPasswordByMail',
  method: 'POST',
  path: '/password-reset/complete',
  access: 'public',
  tag: 'session',
  summary: 'Set a new password with the link from a mail',
  description:
    'Ends all sessions of the person and, on request, revokes API keys: those of accounts that the person owns, and those ' +
    'that the person created in other accounts. Passkeys and the second factor stay, because the link does not prove any factor.',
  body: Input({
    token: LinkToken,
    password: NewPassword,
    revoke_keys: Type.Optional(Type.Boolean({ description: 'True to revoke API keys too' })),
  }),
  data: Shape({
    ended_sessions: Count('Sessions that were signed out'),
    revoked_keys: Count('API keys that were revoked'),
  }),
  errors: ['link_invalid'],
  async prepare({ body, services }) {
    // Checked first, so that nothing is hashed for a caller without a link.
    const token = await peekMailToken(services.db, services, ['reset_password'], body.token);
    requireGoodPassword(body.password, token.email);
    return { personId: token.person_id!, passwordHash: await services.passwords.hash(body.password) };
  },
  async handle({ db, body, services, browser, now, prepared: { personId, passwordHash } }) {
    // Keys are locked before their person. If the link turns out to be used already, the transaction undoes this.
    const revoked = body.revoke_keys
      ? await revokeKeysOf(db, services, { personId, now, ip: browser.ip })
      : [];
    const person = await lockPerson(db, personId);
    const { person_id } = await useMailToken(db, services, 'reset_password', body.token);
    if (!person || person.id !== person_id) throw linkInvalid('unknown');
    const sessions = await listSessions(db, person.id, now);
    await setPassword(db, services, { personId: person.id, passwordHash, keepSession: null });
    // Strangers may have used up the attempts for unknown devices, so the device becomes a known one for the next
    // sign-in.
    await rememberDevice(db, services, browser, person.id);
    await recordAudit(db, services.clock, {
      accountId: null,
      personId: person.id,
      action: 'person.password_reset',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person, 'password_changed', browser);
    return { data: { ended_sessions: sessions.length, revoked_keys: revoked.length } };
  },
});
