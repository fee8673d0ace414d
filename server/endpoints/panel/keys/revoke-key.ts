import { findKey, revokeKey as revoke } from '../../../db/queries/access/api-keys.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { ApiKeyShape, presentKey } from './key-shape.ts';

export const revokeKey = endpoint({
  audience: 'panel',
  operation: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{id}',
  access: 'operator',
  // It must be possible to end a leaked key, whatever else the account may do.
  whileSuspended: true,
  tag: 'key',
  summary: 'Revoke a key',
  description: 'Takes effect within a second and also ends its terminals and agent runs.',
  params: Type.Object({ id: PathId('apk', 'Key identifier') }),
  data: ApiKeyShape,
  errors: [],
  async load({ caller, params, db }) {
    const key = await findKey(db, caller.accountId, params.id);
    if (!key) throw notFound();
    return key;
  },
  async handle({ resource, caller, session, db, now, browser, services: { clock, signals } }) {
    const revoked = await revoke(db, resource.id, now);
    await signals.accessEnded(db, resource.id);
    if (!resource.revoked_at) {
      await recordAudit(db, clock, {
        accountId: caller.accountId,
        personId: session.personId,
        action: 'key.revoked',
        subjectId: resource.id,
        details: { label: resource.name },
        ip: browser.ip,
      });
    }
    return { data: presentKey(revoked!, now) };
  },
});
