import { ALL_SCOPES } from '../../../access/scopes.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { allowList, expiry, createKey as insertKey } from '../../../domain/accounts/keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { keyFields, presentKey } from './key-shape.ts';

/**
 * All networks are checked on every request of the key that is not cached; a longer list calls for a network in front
 * of the service.
 */
const MAX_ALLOWED_NETWORKS = 100;

export const createKey = endpoint({
  audience: 'operator',
  operation: 'createKey',
  method: 'POST',
  path: '/accounts/{id}/keys',
  tag: 'key',
  summary: 'Create an API key',
  params: AccountParams,
  body: Input({
    name: Line('ci', 'Purpose of the key'),
    scopes: Type.Array(Enum(ALL_SCOPES), { minItems: 1, uniqueItems: true }),
    expires_at: Type.Optional(Type.String({ format: 'date-time', description: 'Never expires if absent' })),
    // Absent means from anywhere. An empty list is refused, because it would mean the same but look like the opposite.
    allow_cidrs: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_ALLOWED_NETWORKS,
        description: 'Addresses or networks from which it may be used; defaults to any',
      }),
    ),
  }),
  data: Shape(
    {
      key: Type.String({ description: 'The text of the key, which is not stored and never shown again' }),
      ...keyFields,
    },
    { $id: 'NewKey', description: 'An API key with its text' },
  ),
  errors: ['invalid_state'],
  async handle({ params: { id: accountId }, body, services: { clock, db, logger, secrets } }) {
    const { name, scopes, expires_at, allow_cidrs = [] } = body;
    requireReadable('name', name);
    const now = clock.now();
    const expiresAt = expires_at === undefined ? null : expiry(expires_at, now);
    const allowCidrs = allowList(allow_cidrs);
    const { key, row } = await db.transaction(async (tx) => {
      await requireAccount(tx, accountId);
      await requireOpen(tx, accountId);
      return insertKey(tx, clock, { accountId, name, scopes, expiresAt, allowCidrs }, secrets);
    });
    logger.info({ account_id: accountId, key_id: row.id }, 'key created');
    return { data: { key, ...presentKey(row, now) } };
  },
});
