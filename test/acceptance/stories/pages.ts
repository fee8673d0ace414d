import assert from 'node:assert/strict';
import type { Call, Client } from '../support/client.ts';
import { OPERATIONS } from '../support/document.ts';
import { validCall } from '../support/valid-calls.ts';
import type { Subject } from '../support/world.ts';

interface Page {
  data: { id: string }[];
  pagination: { limit: number; next_cursor: string | null; has_more: boolean };
}

async function page(client: Client, operationId: string, call: Call): Promise<Page> {
  const answer = await client.call(operationId, call);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Page;
}

/** Every list returns the same items one per page as all at once, and its cursors work nowhere else. */
export async function pages({ client, ids }: Subject): Promise<void> {
  const cursors = new Map<string, string>();
  const lists = OPERATIONS.filter(({ query }) => query.some(({ name }) => name === 'cursor'));
  for (const operation of lists) {
    const { at } = validCall(operation, ids);
    const whole = await page(client, operation.id, { at, query: { limit: 100 } });
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Call['query'] = { limit: 1, ...(cursor !== null && { cursor }) };
      const { data, pagination } = await page(client, operation.id, { at, query });
      assert.equal(pagination.limit, 1);
      assert.equal(pagination.has_more, pagination.next_cursor !== null);
      found.push(...data.map(({ id }) => id));
      cursor = pagination.next_cursor;
      if (cursor !== null) cursors.set(operation.id, cursor);
    } while (cursor !== null);
    assert.deepEqual(
      found,
      whole.data.map(({ id }) => id),
      operation.id,
    );
  }
  assert.ok(cursors.size >= 2, `only ${[...cursors.keys()]} have more than one page`);
  for (const operation of lists) {
    const { at } = validCall(operation, ids);
    const refuses = (cursor: string) =>
      client.refused(operation.id, 'invalid_cursor', { at, query: { cursor } });
    for (const [from, cursor] of cursors) {
      if (from !== operation.id) await refuses(cursor);
      else for (const cut of [cursor.slice(0, -1), cursor.slice(1), `${cursor}A`]) await refuses(cut);
    }
  }
}
