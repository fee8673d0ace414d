import { ALL_SCOPES } from '../../../access/scopes.ts';
import type { ApiKeyRow } from '../../../db/queries/access/api-keys.ts';
import { keyStatus } from '../../../domain/accounts/keys.ts';
import { Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const ScopeShape = Enum(ALL_SCOPES, { $id: 'Scope', description: 'Permissions of a key' });

export const keyFields = {
  id: Id('apk'),
  account_id: Id('acc'),
  name: Type.String(),
  hint: Type.String({ description: 'Shortened text of the key, to recognize it' }),
  status: Enum(['active', 'expired', 'revoked']),
  scopes: Type.Array(ScopeShape),
  allow_cidrs: Type.Array(Type.String(), {
    description: 'Networks from which it may be used; empty for any',
  }),
  expires_at: Nullable(Timestamp()),
  revoked_at: Nullable(Timestamp()),
  last_used_at: Nullable(Timestamp()),
  created_at: Timestamp(),
};

export const KeyShape = Shape(keyFields, { $id: 'Key', description: 'An API key, without its text' });

export function presentKey(key: ApiKeyRow, now: Date) {
  return {
    id: key.id,
    account_id: key.account_id,
    name: key.name,
    hint: key.hint,
    status: keyStatus(key, now),
    scopes: key.scopes,
    allow_cidrs: key.allow_cidrs,
    expires_at: key.expires_at,
    revoked_at: key.revoked_at,
    last_used_at: key.last_used_at,
    created_at: key.created_at,
  };
}
