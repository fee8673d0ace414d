import { ROLE_SCOPES } from '../../../access/roles.ts';
import { ALL_SCOPES } from '../../../access/scopes.ts';
import { countLiveKeys } from '../../../db/queries/access/api-keys.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { allowList, expiry, createKey as makeKey } from '../../../domain/accounts/keys.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Name, Nullable, Shape } from '../../../http/schemas.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { ApiKeyShape, presentKey } from './key-shape.ts';

/** All networks are checked on every request of the key that is not cached. */
const MOST_NETWORKS = 100;
/** More than a person can tell apart. */
const MOST_KEYS = 100;

export const createKey = endpoint({
  audience: 'panel',
  operation: 'createKey',
  method: 'POST',
  path: '/keys',
  access: 'operator',
  confirm: true,
  tag: 'key',
  summary: 'Create an API key',
  description: 'Its text is only in this response. It can have at most the permissions of your role.',
  body: Input({
    label: Name('ci', 'Purpose of the key; trimmed'),
    scopes: Type.Array(Enum(ALL_SCOPES), { minItems: 1, uniqueItems: true, examples: [['vm:read']] }),
    allowed_ips: Type.Optional(
      Type.Array(Type.String({ maxLength: 64, examples: ['203.0.113.0/24'] }), {
        maxItems: MOST_NETWORKS,
        description: 'Addresses or networks from which it may be used; any if absent or empty',
      }),
    ),
    expires_at: Type.Optional(
      Nullable(
        Type.String({
          format: 'date-time',
          description: 'Never expires if absent',
          examples: ['2030-01-31T00:00:00Z'],
        }),
      ),
    ),
  }),
  data: Shape({
    key: ApiKeyShape,
    secret: Type.String({ description: 'The text of the key, shown only once' }),
  }),
  errors: ['quota_exceeded', 'invalid_state'],
  async handle({ body, caller, session, db, now, browser, services: { clock, secrets } }) {
    const { accountId } = caller;
    const held = ROLE_SCOPES[session.place!.role];
    const beyond = body.scopes.findIndex((scope) => !held.has(scope));
    if (beyond >= 0)
      throw invalidField(`scopes.${beyond}`, 'not_allowed', 'exceeds the permissions of your role');
    const expiresAt = body.expires_at ? expiry(body.expires_at, now) : null;
    const allowCidrs = allowList(body.allowed_ips ?? [], 'allowed_ips');
    // Locks the account, so that only one of two simultaneous requests creates the last key.
    await requireOpen(db, accountId);
    const used = await countLiveKeys(db, accountId, now);
    if (used >= MOST_KEYS)
      throw new ApiError(
        'quota_exceeded',
        `The account has reached the maximum of ${used} keys. Revoke some first.`,
        {
          resource: 'api_keys',
          limit: MOST_KEYS,
          used,
        },
      );
    const name = body.label.trim();
    const { key, row } = await makeKey(
      db,
      clock,
      { accountId, name, scopes: body.scopes, expiresAt, allowCidrs },
      secrets,
    );
    await recordAudit(db, clock, {
      accountId,
      personId: session.personId,
      action: 'key.created',
      subjectId: row.id,
      details: { label: name, scopes: row.scopes },
      ip: browser.ip,
    });
    return { data: { key: presentKey(row, now), secret: key } };
  },
});
