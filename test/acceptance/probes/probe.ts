import assert from 'node:assert/strict';
import { type Client, toRequest } from '../support/client.ts';
import type { Operation } from '../support/document.ts';
import type { Keys } from '../support/keys.ts';
import type { Request } from '../support/transport.ts';
import { collections, type Ids, validCall } from '../support/valid-calls.ts';
import type { Subject } from '../support/world.ts';

export interface ProbeWorld {
  own: Subject;
  foreign: Subject;
  keys: Keys;
}

export interface Probe {
  name: string;
  /** Selects the operations; all by default. */
  suits?: (operation: Operation) => boolean;
  run(operation: Operation, world: ProbeWorld): Promise<void>;
}

/** The id of something that does not exist. */
export const ABSENT = 'vm_00000000000000000000000000';

/** Returns ids for the variables of a path, none of which exists. */
export function absent(operation: Operation): Ids {
  return Object.fromEntries(collections(operation).map((collection) => [collection, ABSENT]));
}

/**
 * Returns a request that is wrong in every way: no such resource, no Idempotency-Key, invalid JSON, an unknown query
 * parameter.
 */
export function allWrong(operation: Operation): Request {
  const { method, target } = toRequest(operation, {
    ...validCall(operation, absent(operation)),
    query: { tempalte: 1 },
  });
  if (method === 'GET') return { method, target };
  return { method, target, headers: { 'content-type': 'application/json' }, body: '{' };
}

export async function refuses(client: Client, request: Request, status: number, code: string): Promise<void> {
  const answer = await client.send(request);
  assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
}
