import type { FastifyInstance } from 'fastify';
import { ALL_SCOPES, SCOPES } from '../../access/scopes.ts';
import { listKeys, revokeKey } from '../../db/queries/api-keys.ts';
import { requireOpen } from '../../domain/accounts/account-status.ts';
import { allowList, createKey, expiry } from '../../domain/accounts/keys.ts';
import { Enum, Input } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';
import { Line, requireReadable } from './shared/input.ts';
import { presentKey } from './shared/shapes.ts';

/** Checked on every request of the key that is not cached; more wants a network in front of the service. */
const MAX_ALLOWED_NETWORKS = 100;

const NewKey = Input({
  name: Line,
  scopes: Type.Array(Enum(ALL_SCOPES), { minItems: 1, uniqueItems: true }),
  expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  // Absent means from anywhere. An empty list is refused: it would mean the same and look like the contrary.
  allow_cidrs: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: MAX_ALLOWED_NETWORKS })),
});

export function registerKeyOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/scopes',
    async handle() {
      return { data: Object.entries(SCOPES).map(([scope, grants]) => ({ scope, grants })) };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/keys',
    body: NewKey,
    async handle({ id: accountId, body, services: { clock, db, logger, secrets } }) {
      const { name, scopes, expires_at, allow_cidrs = [] } = body;
      requireReadable('name', name);
      const now = clock.now();
      const expiresAt = expires_at === undefined ? null : expiry(expires_at, now);
      const allowCidrs = allowList(allow_cidrs);
      const { key, row } = await db.transaction(async (tx) => {
        await requireAccount(tx, accountId);
        await requireOpen(tx, accountId);
        return createKey(tx, clock, { accountId, name, scopes, expiresAt, allowCidrs }, secrets);
      });
      logger.info({ account_id: accountId, key_id: row.id }, 'key created');
      return { data: { key, ...presentKey(row, now) } };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/accounts/:id/keys',
    async handle({ id, services: { clock, db } }) {
      await requireAccount(db, id);
      const now = clock.now();
      return { data: (await listKeys(db, id)).map((key) => presentKey(key, now)) };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/keys/:id/revoke',
    async handle({ id, services: { clock, db, logger, signals } }) {
      const now = clock.now();
      const key = await db.transaction(async (tx) => {
        const revoked = await revokeKey(tx, id, now);
        if (!revoked) throw notFound();
        await signals.accessEnded(tx, id);
        return revoked;
      });
      logger.info({ account_id: key.account_id, key_id: id }, 'key revoked');
      return { data: presentKey(key, now) };
    },
  });
}
