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
  /** Which operations it is for; all when absent. */
  suits?: (operation: Operation) => boolean;
  run(operation: Operation, world: ProbeWorld): Promise<void>;
}

/** The id of a thing that does not exist. */
export const ABSENT = 'vm_00000000000000000000000000';

/** The things of a path, none of which exists. */
export function absent(operation: Operation): Ids {
  return Object.fromEntries(collections(operation).map((collection) => [collection, ABSENT]));
}

/** A request that is wrong in every way: no such resource, no Idempotency-Key, no JSON, a mistyped query. */
export function allWrong(operation: Operation): Request {
  const { method, target } = toRequest(operation, {
    ...validCall(operation, absent(operation)),
    query: { tempalte: 1 },
  });
  if (method === 'GET') return { method, target };
  return { method, target, headers: { 'content-type': 'application/json' }, body: '{' };
}

/** The request must be refused with this status and code. */
export async function refuses(client: Client, request: Request, status: number, code: string): Promise<void> {
  const answer = await client.send(request);
  assert.deepEqual([answer.status, answer.code], [status, code], answer.text);
}
