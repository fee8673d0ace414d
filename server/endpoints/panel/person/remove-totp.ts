import { lockPerson } from '../../../db/queries/access/people.ts';
import { deleteTotp } from '../../../db/queries/access/totps.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { requireOtherFactor } from '../shared/other-factor.ts';

export const removeTotp = endpoint({
  audience: 'panel',
  operation: 'removeTotp',
  method: 'DELETE',
  path: '/person/totp',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Turn off the authenticator app',
  description: 'Its recovery codes are deleted too.',
  data: Shape({}),
  errors: ['not_found', 'invalid_state'],
  async handle({ db, session, browser, services }) {
    const person = await lockPerson(db, session.personId);
    await requireOtherFactor(db, services, person, 'totp');
    if (!(await deleteTotp(db, session.personId))) throw notFound();
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'totp.removed',
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'totp_removed', browser);
    return { data: {} };
  },
});
