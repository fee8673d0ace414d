import type { Queryable } from '../db/database.ts';
import { type ApiKeyRow, findKeyByHash, recordKeyUse } from '../db/queries/api-keys.ts';
import { hashKey, isWellFormedKey } from './api-key.ts';
import { addressMatcher } from './cidr.ts';
import type { Clock } from './clock.ts';
import { ApiError } from './errors.ts';
import type { Scope } from './scopes.ts';

/**
 * How long a key's record is believed without asking the database again. A revocation must take effect
 * within one second on every node; this leaves room for the look-up itself.
 */
export const KEY_CACHE_MS = 800;
/** Keys remembered at once; beyond it the oldest go. Bounds memory, not the number of customers. */
const KEY_CACHE_SIZE = 50_000;

/** A key that was presented, exists, is not expired or revoked, and comes from an allowed address. */
export interface AuthenticatedKey {
  id: string;
  accountId: string;
  scopes: ReadonlySet<Scope>;
}

interface CachedKey {
  key: AuthenticatedKey;
  row: ApiKeyRow;
  allowed: (ip: string) => boolean;
  readAt: number;
}

/** Finds out who calls. Unknown keys are not remembered, so guesses cannot fill the memory. */
export class Authenticator {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #cache = new Map<string, CachedKey>();
  readonly #lastUsed = new Map<string, Date>();

  constructor(db: Queryable, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /**
   * The key in an `Authorization` header, or an {@link ApiError} with status 401. Returns without a promise
   * when the answer is at hand, which is the case for all but the first request in {@link KEY_CACHE_MS}.
   */
  authenticate(header: string | undefined, ip: string): AuthenticatedKey | Promise<AuthenticatedKey> {
    const presented = bearerToken(header);
    const cached = this.#cache.get(presented);
    const now = this.#clock.now().getTime();
    if (cached && now - cached.readAt < KEY_CACHE_MS && now >= cached.readAt)
      return this.#admit(cached, ip, now);
    return this.#read(presented, ip);
  }

  async #read(presented: string, ip: string): Promise<AuthenticatedKey> {
    if (!isWellFormedKey(presented)) {
      throw new ApiError(
        'api_key_invalid',
        'The API key is malformed: its checksum does not match. Is it complete?',
      );
    }
    // Taken before the read: a revocation that commits after it must not be hidden for longer than the cache's time.
    const readAt = this.#clock.now().getTime();
    const row = await findKeyByHash(this.#db, hashKey(presented));
    this.#cache.delete(presented);
    if (!row || row.revoked_at)
      throw new ApiError('api_key_invalid', 'The API key is unknown or has been revoked.');
    const cached: CachedKey = {
      key: { id: row.id, accountId: row.account_id, scopes: new Set(row.scopes) },
      row,
      allowed: row.allow_cidrs.length === 0 ? () => true : addressMatcher(row.allow_cidrs),
      readAt,
    };
    if (this.#cache.size >= KEY_CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(presented, cached);
    return this.#admit(cached, ip, readAt);
  }

  #admit({ key, row, allowed }: CachedKey, ip: string, now: number): AuthenticatedKey {
    if (row.expires_at && row.expires_at.getTime() <= now) {
      throw new ApiError('api_key_expired', 'The API key has expired.');
    }
    if (!allowed(ip)) {
      throw new ApiError('ip_not_allowed', 'The API key may not be used from this address.', undefined, {
        ip,
      });
    }
    this.#lastUsed.set(key.id, new Date(now));
    return key;
  }

  /** Writes when keys were last used: called now and then, so that a request costs no write. */
  async flushLastUsed(): Promise<void> {
    if (this.#lastUsed.size === 0) return;
    const uses = [...this.#lastUsed].map(([id, at]) => ({ id, at }));
    this.#lastUsed.clear();
    await recordKeyUse(this.#db, uses);
  }
}

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new ApiError('api_key_missing', 'Send an API key: Authorization: Bearer vk_…');
  }
  const match = /^Bearer +([^\s]+) *$/i.exec(header);
  if (!match) throw new ApiError('api_key_invalid', 'The Authorization header must read: Bearer vk_…');
  return match[1]!;
}
