import { deletePasskey } from '../../../db/queries/access/passkeys.ts';
import { lockPerson } from '../../../db/queries/access/people.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId, Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { mailSecurityChange } from '../shared/mails.ts';
import { requireOtherFactor } from '../shared/other-factor.ts';

export const removePasskey = endpoint({
  audience: 'panel',
  operation: 'removePasskey',
  method: 'DELETE',
  path: '/person/passkeys/{id}',
  access: 'person',
  confirm: true,
  tag: 'person',
  summary: 'Remove a passkey',
  params: Type.Object({ id: PathId('psk', 'Passkey identifier') }),
  data: Shape({}),
  errors: ['invalid_state'],
  async handle({ db, params, session, browser, services }) {
    const person = await lockPerson(db, session.personId);
    await requireOtherFactor(db, services, person, 'passkey');
    if (!(await deletePasskey(db, session.personId, params.id))) throw notFound();
    await recordAudit(db, services.clock, {
      accountId: session.place?.accountId ?? null,
      personId: session.personId,
      action: 'passkey.removed',
      subjectId: params.id,
      ip: browser.ip,
    });
    await mailSecurityChange(db, services, person!, 'passkey_removed', browser);
    return { data: {} };
  },
});
