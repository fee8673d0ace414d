import { lockPerson } from '../../../db/queries/access/people.ts';
import { findTotp } from '../../../db/queries/access/totps.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { countSecondFactor, takeTotpCode } from '../session/second-factor.ts';
import { TotpCode } from '../session/sign-in-second-factor.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { giveRecoveryCodes, RecoveryCodesShape } from './totp-shape.ts';

export const confirmTotp = endpoint({
  audience: 'panel',
  operation: 'confirmTotp',
  method: 'POST',
  path: '/person/totp/confirm',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Turn on the authenticator app',
  body: Input({ code: TotpCode }),
  data: RecoveryCodesShape,
  errors: ['invalid_state'],
  prepare: ({ session, browser, services }) => countSecondFactor(services, browser, session.personId),
  async handle({ db, body, session, browser, services }) {
    const person = await lockPerson(db, session.personId);
    const totp = await findTotp(db, session.personId);
    if (!totp || totp.confirmed_at)
      throw new ApiError('invalid_state', 'There is no authenticator app to confirm. Start with beginTotp.');
    await takeTotpCode(db, services, session.personId, body.code);
    const codes = await giveRecoveryCodes(db, session.personId);
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'totp.added',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'totp_added', browser);
    return { data: { recovery_codes: codes } };
  },
});
