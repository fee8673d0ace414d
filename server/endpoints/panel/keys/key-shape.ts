import { ALL_SCOPES } from '../../../access/scopes.ts';
import type { ApiKeyRow } from '../../../db/queries/access/api-keys.ts';
import { keyStatus } from '../../../domain/accounts/keys.ts';
import { Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const ScopeShape = Enum(ALL_SCOPES, { $id: 'Scope', description: 'Permissions of a key' });

export const ApiKeyShape = Shape(
  {
    id: Id('apk'),
    label: Type.String(),
    prefix: Type.String({ description: 'Shortened text of the key, to recognize it' }),
    status: Enum(['active', 'expired', 'revoked']),
    scopes: Type.Array(ScopeShape),
    allowed_ips: Type.Array(Type.String(), {
      description: 'Networks from which it may be used; empty for any',
    }),
    created_at: Timestamp(),
    expires_at: Nullable(Timestamp()),
    last_used_at: Nullable(Timestamp()),
    revoked_at: Nullable(Timestamp()),
  },
  { $id: 'ApiKey', description: 'An API key, without its text' },
);

export function presentKey(key: ApiKeyRow, now: Date) {
  return {
    id: key.id,
    label: key.name,
    prefix: key.hint,
    status: keyStatus(key, now),
    scopes: key.scopes,
    allowed_ips: key.allow_cidrs,
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    revoked_at: key.revoked_at,
  };
}
