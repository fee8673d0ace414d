import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { execute, maybeOne, one, sql, type Transaction } from '../db/database.ts';
import { ApiError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { RequestContext } from './mount.ts';

/** 1–200 printable ASCII characters, blanks among them. */
const WELL_FORMED = /^[\x20-\x7e]{1,200}$/;
/** The purpose that a stored reply is encrypted for. */
export const REPLY_PURPOSE = 'idempotent-reply';

/** Returns the key in the header. Called before the body is read; throws if the key is missing or invalid. */
export function requireIdempotencyKey(header: string | string[] | undefined): string {
  if (header === undefined) {
    throw new ApiError('idempotency_key_missing', 'This operation needs an Idempotency-Key header.');
  }
  if (typeof header !== 'string' || !WELL_FORMED.test(header)) {
    throw new ApiError(
      'idempotency_key_invalid',
      'Idempotency-Key must be 1 to 200 printable ASCII characters.',
    );
  }
  return header;
}

/**
 * An operation that must happen only once. It is identified by the account, not the API key, so that a request can be
 * retried after the key was rotated.
 */
export interface Operation {
  accountId: string;
  method: string;
  path: string;
  key: string;
  /** Fingerprint of the request. */
  print: Buffer;
}

/** Returns the operation that a request is for; undefined if it may happen more than once. */
export function operationOf(
  { method, url, body }: Pick<FastifyRequest, 'method' | 'url' | 'body'>,
  { caller, idempotencyKey: key }: RequestContext,
): Operation | undefined {
  if (key === undefined) return undefined;
  const path = url.split('?', 1)[0]!;
  const print = fingerprint(method, path, body ?? {});
  return { accountId: caller!.accountId, method, path, key, print };
}

/** Returns the fingerprint of a request; the order of members and white space do not matter. */
export function fingerprint(method: string, path: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${method} ${path} ${canonicalJson(body)}`)
    .digest();
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    member !== null && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/**
 * Locks the operation for this transaction. Returns its stored reply if it has already happened. A concurrent
 * duplicate holds the lock, which ends with its transaction, so no lock can be left behind.
 */
export async function takeOperation(
  tx: Transaction,
  operation: Operation,
  secrets: SecretBox,
): Promise<string | undefined> {
  const name = [operation.accountId, operation.method, operation.path, operation.key].join(' ');
  // Two statements, sent together: reading after taking the lock includes the writes of its last holder.
  const [{ locked }, stored] = await Promise.all([
    one<{ locked: boolean }>(
      tx,
      sql`select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`,
    ),
    maybeOne<{ fingerprint: Uint8Array; reply: string; encrypted: boolean }>(
      tx,
      sql`
      select fingerprint, reply, encrypted from idempotency_keys where account_id = ${operation.accountId}
        and method = ${operation.method} and path = ${operation.path} and key = ${operation.key}`,
    ),
  ]);
  if (!locked) {
    throw new ApiError(
      'idempotency_in_progress',
      'A request with this Idempotency-Key is still being processed.',
      {
        retry_after_seconds: 1,
      },
    );
  }
  if (!stored) return undefined;
  if (!operation.print.equals(stored.fingerprint)) {
    throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
  }
  return stored.encrypted ? secrets.open(stored.reply, REPLY_PURPOSE) : stored.reply;
}

/** Stores a reply in the transaction that did the work. A reply with a secret is encrypted. */
export async function rememberReply(
  tx: Transaction,
  operation: Operation,
  reply: { text: string; secret: boolean; at: Date },
  secrets: SecretBox,
): Promise<void> {
  const text = reply.secret ? secrets.seal(reply.text, REPLY_PURPOSE) : reply.text;
  await execute(
    tx,
    sql`
    insert into idempotency_keys (account_id, method, path, key, fingerprint, reply, encrypted, created_at)
    values (${operation.accountId}, ${operation.method}, ${operation.path}, ${operation.key}, ${operation.print}, ${text},
      ${reply.secret}, ${reply.at})`,
  );
}
