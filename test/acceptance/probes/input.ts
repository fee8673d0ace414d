import assert from 'node:assert/strict';
import type { Operation, Parameter } from '../support/document.ts';
import { collections, type Ids, validCall } from '../support/valid-calls.ts';
import type { Subject } from '../support/world.ts';
import { ABSENT, type Probe } from './probe.ts';

const takesBody = ({ body }: Operation) => body !== undefined;
const hasPlace = ({ variables }: Operation) => variables.length > 0;

/** Returns the ids of a path with each in turn replaced by one that does not exist, and by one of another account. */
function misplaced(operation: Operation, own: Ids, foreign: Ids): { absent: Ids; foreign: Ids }[] {
  return collections(operation).map((collection) => ({
    absent: { ...own, [collection]: ABSENT },
    foreign: { ...own, [collection]: foreign[collection]! },
  }));
}

export const RESOURCE_PROBES: Probe[] = [
  {
    name: 'what does not exist, or is not ours: the same 404, before validation',
    suits: hasPlace,
    async run(operation, { own, foreign }) {
      for (const places of misplaced(operation, own.ids, foreign.ids)) {
        const texts = [];
        for (const ids of [places.absent, places.foreign]) {
          const call = { ...validCall(operation, ids), query: { tempalte: 1 } };
          const answer = await own.client.call(operation.id, call);
          assert.deepEqual([answer.status, answer.code], [404, 'not_found'], answer.text);
          texts.push(`${answer.text}\n${Object.keys(answer.headers).sort()}`);
        }
        assert.equal(texts[0], texts[1]);
      }
    },
  },
];

async function refusesField(own: Subject, operation: Operation, change: object): Promise<void> {
  const details = await own.client.refused(operation.id, 'validation_failed', {
    ...validCall(operation, own.ids),
    ...change,
  });
  const fields = details.fields as { field: string; code: string }[];
  assert.deepEqual(
    fields.map(({ field, code }) => [field, code]),
    [['tempalte', 'unknown_field']],
  );
}

export const VALIDATION_PROBES: Probe[] = [
  {
    name: 'an unknown query parameter',
    run: (operation, { own }) =>
      refusesField(own, operation, { query: { ...validCall(operation, own.ids).query, tempalte: 1 } }),
  },
  {
    name: 'an unknown body field',
    suits: ({ method }) => method !== 'GET',
    run(operation, { own }) {
      const { body } = validCall(operation, own.ids) as { body?: object };
      return refusesField(own, operation, { body: { ...body, tempalte: 1 } });
    },
  },
  {
    name: 'a body that is no object',
    suits: takesBody,
    async run(operation, { own }) {
      for (const body of [null, [], 'text', 0]) {
        if (body === null && !requiresBody(operation)) continue;
        const call = { ...validCall(operation, own.ids), body };
        await own.client.refused(operation.id, 'validation_failed', call);
      }
    },
  },
];

/** `null` is treated as no body, which actions without required fields accept. */
const requiresBody = ({ body }: Operation) => (body?.schema.required?.length ?? 0) > 0;

/** Checks that an invalid query parameter in an otherwise valid call is refused by its name. */
async function refusesQuery(
  own: Subject,
  operation: Operation,
  name: string,
  query: Record<string, string>,
): Promise<void> {
  const valid = validCall(operation, own.ids);
  const call = { ...valid, query: { ...valid.query, ...query } };
  const details = await own.client.refused(operation.id, 'validation_failed', call);
  const fields = (details.fields as { field: string; message: string }[]).map(({ field }) => field);
  assert.ok(fields.includes(name), `${JSON.stringify(query)}: ${fields}`);
}

const isNumber = ({ schema }: Parameter) => schema.type === 'integer';
/** Accepts only one of a known list of values. */
const isClosed = ({ name, schema }: Parameter) =>
  schema.enum !== undefined || ['region', 'type'].includes(name);
const hasRange = ({ query }: Operation) =>
  ['from', 'to'].every((end) => query.some(({ name }) => name === end));

export const QUERY_PROBES: Probe[] = [
  {
    name: 'an empty filter',
    suits: ({ query }) => query.length > 0,
    async run(operation, { own }) {
      for (const { name } of operation.query) await refusesQuery(own, operation, name, { [name]: '' });
    },
  },
  {
    name: 'a number that is not decimal digits',
    suits: ({ query }) => query.some(isNumber),
    async run(operation, { own }) {
      for (const { name } of operation.query.filter(isNumber)) {
        for (const value of [
          '1e1',
          '0x10',
          '10.0',
          '+10',
          '-10',
          ' 10',
          '10 ',
          '1_0',
          '\u0661',
          '9'.repeat(30),
        ])
          await refusesQuery(own, operation, name, { [name]: value });
      }
    },
  },
  {
    name: 'a range that ends before it begins',
    suits: hasRange,
    run: (operation, { own }) =>
      refusesQuery(own, operation, 'from', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }),
  },
  {
    name: 'a filter for what does not exist',
    suits: ({ query }) => query.some(isClosed),
    async run(operation, { own }) {
      for (const { name } of operation.query.filter(isClosed))
        await refusesQuery(own, operation, name, { [name]: 'vm.atlantis' });
    },
  },
];
