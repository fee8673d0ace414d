import { lockPerson } from '../../../db/queries/access/people.ts';
import { findTotp } from '../../../db/queries/access/totps.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { giveRecoveryCodes, RecoveryCodesShape } from './totp-shape.ts';

export const renewRecoveryCodes = endpoint({
  audience: 'panel',
  operation: 'renewRecoveryCodes',
  method: 'POST',
  path: '/person/recovery-codes',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Create new recovery codes, which replace all old ones',
  data: RecoveryCodesShape,
  errors: ['invalid_state'],
  async handle({ db, session, browser, services }) {
    const person = await lockPerson(db, session.personId);
    const totp = await findTotp(db, session.personId);
    if (!totp?.confirmed_at)
      throw new ApiError('invalid_state', 'Recovery codes require an authenticator app, and none is set up.');
    const codes = await giveRecoveryCodes(db, session.personId);
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'recovery_codes.renewed',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'recovery_codes_renewed', browser);
    return { data: { recovery_codes: codes } };
  },
});
