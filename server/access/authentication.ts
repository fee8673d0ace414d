import type { Queryable } from '../db/database.ts';
import { type ApiKeyRow, findKeyByHash, recordKeyUse } from '../db/queries/access/api-keys.ts';
import { addressMatcher } from '../platform/cidr.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { hashKey, isIssuedKey, isWellFormedKey } from './api-key.ts';
import { isReadScope, type Scope } from './scopes.ts';

/**
 * A key's record is trusted for this long without another database query. A revocation must take effect within one
 * second on every node; this leaves time for the query itself.
 */
export const KEY_CACHE_MS = 800;
/** An unused key is remembered for this long: the rate-limit headers of its refused requests need it in their window. */
const KEY_MEMORY_MS = 120_000;
/** Keys remembered at once; beyond it the oldest are dropped. Limits memory, not the number of customers. */
const KEY_CACHE_SIZE = 50_000;
/** Number of our own invalid keys that are remembered so that they cost no query either. */
const DEAD_KEYS = 10_000;

/** A presented key that exists, is neither expired nor revoked, and comes from an allowed address. */
export interface AuthenticatedKey {
  id: string;
  accountId: string;
  scopes: ReadonlySet<Scope>;
  /** True if its account is suspended: then the key may only read. */
  suspended: boolean;
}

interface CachedKey {
  key: AuthenticatedKey;
  row: ApiKeyRow;
  allowed: (ip: string) => boolean;
  readAt: number;
}

/** Limits how often a caller may cause database look-ups of unknown keys. */
export interface LookUpBudget {
  /** Counts an attempt; returns false if none are left. */
  take(): boolean;
  /** Takes back an attempt: the key was valid, or the database did not respond. */
  giveBack(): void;
}

const UNBOUNDED: LookUpBudget = { take: () => true, giveBack: () => {} };

/** Authenticates callers. Unknown keys are not remembered, so guesses cannot fill the memory. */
export class Authenticator {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #cache = new Map<string, CachedKey>();
  readonly #lastUsed = new Map<string, Date>();
  readonly #secrets: SecretBox | undefined;
  /** A revoked key stays revoked. Only contains keys that we have issued, so guesses cannot fill it. */
  readonly #dead = new Set<string>();

  /** Without the installation's secrets, no key is known to be ours before its look-up. */
  constructor(db: Queryable, clock: Clock, secrets?: SecretBox) {
    this.#db = db;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /**
   * Returns the key in an `Authorization` header, or throws an {@link ApiError} with status 401. Returns without a
   * promise if the answer is cached, which is true for all but the first request in {@link KEY_CACHE_MS}. A key that is
   * not known to be ours is looked up within the sender's budget, so that guesses beyond it cost no query. Our own keys
   * are unaffected by other senders at their address.
   */
  authenticate(
    header: string | undefined,
    ip: string,
    budget: LookUpBudget = UNBOUNDED,
  ): AuthenticatedKey | Promise<AuthenticatedKey> {
    const presented = bearerToken(header);
    const cached = this.#cache.get(presented);
    const now = this.#clock.now().getTime();
    if (cached && now - cached.readAt < KEY_CACHE_MS && now >= cached.readAt)
      return this.#admit(cached, ip, now);
    if (cached) return this.#read(presented, ip);
    if (!isWellFormedKey(presented)) {
      throw new ApiError(
        'api_key_invalid',
        'The API key is malformed: its checksum does not match. Check that you copied all of it.',
      );
    }
    if (this.#dead.has(presented)) throw unknownKey();
    const isOurs = this.#secrets !== undefined && isIssuedKey(presented, this.#secrets);
    return isOurs ? this.#read(presented, ip) : this.#lookFor(presented, ip, budget);
  }

  /**
   * Returns the id of the key in an `Authorization` header, if it was valid when last read. Must not be used for
   * decisions.
   */
  lastKnown(header: string | undefined): string | undefined {
    const presented = header?.trim().split(/\s/).at(-1);
    return presented === undefined ? undefined : this.#cache.get(presented)?.key.id;
  }

  async #lookFor(presented: string, ip: string, budget: LookUpBudget): Promise<AuthenticatedKey> {
    if (!budget.take())
      throw new ApiError(
        'api_key_invalid',
        'Too many requests with unknown keys came from this address. This key was not checked.',
      );
    try {
      const key = await this.#read(presented, ip);
      budget.giveBack();
      return key;
    } catch (error) {
      if (!(error instanceof ApiError)) budget.giveBack();
      throw error;
    }
  }

  async #read(presented: string, ip: string): Promise<AuthenticatedKey> {
    // Taken before the read: a revocation that commits after it must not be hidden for longer than the cache lasts.
    const readAt = this.#clock.now().getTime();
    const row = await findKeyByHash(this.#db, hashKey(presented));
    this.#cache.delete(presented);
    if (!row || row.revoked_at) {
      this.#bury(presented);
      throw unknownKey();
    }
    const cached: CachedKey = {
      key: {
        id: row.id,
        accountId: row.account_id,
        scopes: new Set(row.scopes),
        suspended: row.account_status !== 'active',
      },
      row,
      allowed: row.allow_cidrs.length === 0 ? () => true : addressMatcher(row.allow_cidrs),
      readAt,
    };
    if (this.#cache.size >= KEY_CACHE_SIZE) this.#cache.delete(this.#cache.keys().next().value!);
    this.#cache.set(presented, cached);
    return this.#admit(cached, ip, readAt);
  }

  #bury(presented: string): void {
    if (!this.#secrets || !isIssuedKey(presented, this.#secrets)) return;
    if (this.#dead.size >= DEAD_KEYS) this.#dead.delete(this.#dead.values().next().value!);
    this.#dead.add(presented);
  }

  #admit({ key, row, allowed }: CachedKey, ip: string, now: number): AuthenticatedKey {
    if (row.expires_at && row.expires_at.getTime() <= now) {
      throw new ApiError('api_key_expired', 'The API key has expired.');
    }
    if (!allowed(ip)) {
      throw new ApiError('ip_not_allowed', 'This API key may not be used from this address.', undefined, {
        ip,
      });
    }
    this.#lastUsed.set(key.id, new Date(now));
    return key;
  }

  /**
   * Records when keys were last used, and drops unused ones from the cache. Called now and then, so that requests need
   * not do either.
   */
  async flushLastUsed(): Promise<void> {
    this.#forgetUnused();
    if (this.#lastUsed.size === 0) return;
    const uses = [...this.#lastUsed].map(([id, at]) => ({ id, at }));
    this.#lastUsed.clear();
    await recordKeyUse(this.#db, uses);
  }

  /** The map is in the order in which keys were read, oldest first. */
  #forgetUnused(): void {
    const oldest = this.#clock.now().getTime() - KEY_MEMORY_MS;
    for (const [presented, { readAt }] of this.#cache) {
      if (readAt >= oldest) return;
      this.#cache.delete(presented);
    }
  }
}

const unknownKey = () => new ApiError('api_key_invalid', 'The API key is unknown or has been revoked.');

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') {
    throw new ApiError('api_key_missing', 'Send an API key: Authorization: Bearer vk_…');
  }
  const match = /^Bearer +([^\s]+) *$/i.exec(header);
  if (!match) throw new ApiError('api_key_invalid', 'The Authorization header must read: Bearer vk_…');
  return match[1]!;
}

/** Refuses a key that lacks the rights for an endpoint, which is named by its pattern. */
export function requireScope(
  key: AuthenticatedKey,
  { scope, method, path }: { scope: Scope; method: string; path: string },
): void {
  if (!key.scopes.has(scope))
    throw new ApiError('scope_required', `Scope ${scope} is required for ${method} ${path}`, { scope });
  if (key.suspended && !isReadScope(scope))
    throw new ApiError('account_suspended', 'The account is suspended. Its keys can only read.');
}
