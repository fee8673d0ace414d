import { maybeOne, one, sql, type Transaction } from '../../../db/database.ts';
import { fingerprint } from '../../../http/idempotency.ts';
import type { Clock } from '../../../platform/clock.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

/** The operator's name for a request that must take effect only once; kept forever. */
export const Key = Type.Optional(
  Type.String({
    pattern: '^[!-~]{1,200}$',
    'x-expected': '1 to 200 visible ASCII characters, no spaces',
    description:
      'Your name for this request; a repetition with the same name returns the first response and is not executed again',
  }),
);

/** Additional errors of an operation with a {@link Key}. */
export const ONCE_ERRORS = ['idempotency_in_progress', 'idempotency_key_reused'] as const;

/**
 * An operator's request: `path` and `body` identify its content, and the body's `key` ensures that it takes effect
 * once.
 */
interface KeyedRequest {
  path: string;
  body: { key?: string };
}

/**
 * Does `work` once under the request's key, in the transaction that stores the key. A repetition of the same request
 * gets the stored reply. A key that was used for something else is refused with `idempotency_key_reused`. Without a
 * key, `work` is simply done.
 */
export async function once<T extends object>(
  tx: Transaction,
  clock: Clock,
  { path, body: { key, ...content } }: KeyedRequest,
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return work();
  const { locked } = await one<{ locked: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(hashtextextended(${`operator ${key}`}, 0)) as locked`,
  );
  if (!locked)
    throw new ApiError('idempotency_in_progress', `The request with the key ${key} is still in progress.`);
  const print = fingerprint('POST', path, content);
  const stored = await maybeOne<{ fingerprint: Uint8Array; reply: T }>(
    tx,
    sql`select fingerprint, reply from operator_keys where key = ${key}`,
  );
  if (stored && !print.equals(stored.fingerprint))
    throw new ApiError('idempotency_key_reused', `The key ${key} was already used for a different request.`);
  if (stored) return stored.reply;
  const reply = await work();
  await tx.query(sql`
    insert into operator_keys (key, fingerprint, reply, created_at)
    values (${key}, ${print}, ${JSON.stringify(reply)}::text::jsonb, ${clock.now()})`);
  return reply;
}
