import { revokeKey as revoke } from '../../../db/queries/access/api-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { KeyShape, presentKey } from './key-shape.ts';

export const revokeKey = endpoint({
  audience: 'operator',
  operation: 'revokeKey',
  method: 'POST',
  path: '/keys/{id}/revoke',
  tag: 'key',
  summary: 'Revoke a key',
  params: Type.Object({ id: PathId('apk', 'Key identifier') }),
  data: KeyShape,
  errors: [],
  async handle({ params: { id }, services: { clock, db, logger, signals } }) {
    const now = clock.now();
    const key = await db.transaction(async (tx) => {
      const revoked = await revoke(tx, id, now);
      if (!revoked) throw notFound();
      await signals.accessEnded(tx, id);
      return revoked;
    });
    logger.info({ account_id: key.account_id, key_id: id }, 'key revoked');
    return { data: presentKey(key, now) };
  },
});
