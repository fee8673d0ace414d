import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { addShieldRule } from '../../server/endpoints/customer/shield/add-rule.ts';
import { createVm } from '../../server/endpoints/customer/vms/create-vm.ts';
import { listVms } from '../../server/endpoints/customer/vms/list-vms.ts';
import { updateVm } from '../../server/endpoints/customer/vms/update-vm.ts';
import { compileChecks } from '../../server/http/validation.ts';

type Schema = Record<string, unknown>;

/** Yields a schema and all schemas within it, with their places. */
function* within(schema: Schema, place: string): Generator<{ place: string; schema: Schema }> {
  yield { place, schema };
  const {
    properties = {},
    items,
    anyOf = [],
  } = schema as {
    properties?: Record<string, Schema>;
    items?: Schema;
    anyOf?: Schema[];
  };
  for (const [name, field] of Object.entries(properties)) yield* within(field, `${place}.${name}`);
  if (items) yield* within(items, `${place}[]`);
  for (const form of anyOf) yield* within(form, place);
}

test('a rule that is a pattern, or one of several forms, is put into words for people', () => {
  const mute = ENDPOINTS.flatMap(({ operation, query, body }) => [
    ...(query ? within(query as unknown as Schema, `${operation} query`) : []),
    ...(body ? within(body as unknown as Schema, `${operation} body`) : []),
  ])
    .filter(({ schema }) => schema.pattern !== undefined || schema.anyOf !== undefined)
    .filter(({ schema }) => {
      const [first] = (schema.anyOf ?? []) as Schema[];
      // An object or null: the problem is reported for its field.
      if (schema.pattern === undefined && first?.type === 'object' && first.$id) return false;
      return schema['x-expected'] === undefined && first?.['x-expected'] === undefined;
    });
  assert.deepEqual(
    mute.map(({ place }) => place),
    [],
  );
});

test('a problem within an object that may be null is that of its field', () => {
  const { refusal } = compileChecks(addShieldRule);
  const fieldOf = (part: object) => refusal({}, { action: 'block', ...part })?.message;
  assert.equal(fieldOf({ packet_length: { min: -1, max: 5 } }), 'packet_length.min: must be at least 0');
  assert.equal(fieldOf({ packet_length: { min: 1 } }), 'packet_length.max: is required');
  assert.equal(fieldOf({ tcp_flags: 5 }), 'tcp_flags: must be an object or null');
  assert.equal(fieldOf({ packet_length: null, tcp_flags: null }), undefined);
});

test('errors are explained in words, the first of them in the message', () => {
  const order = { plan: 's1', template: 'debian-12' };
  for (const [body, message] of [
    [
      { ...order, hostname: 'no_good', start: 'yes' },
      'hostname: labels of 1 to 63 letters, digits and hyphens, separated by dots; and 1 more',
    ],
    [{ ...order, hostname: '' }, 'hostname: must not be empty'],
    [
      { ...order, hostname: 'web-1', ssh_key_ids: Array(21).fill('') },
      'ssh_key_ids: must have at most 20 items',
    ],
    [{ ...order, hostname: 'web-1', ssh_key_ids: ['a', 'a'] }, 'ssh_key_ids: must not contain duplicates'],
    [{ ...order, hostname: 'web-1', notes: 1 }, 'notes: must be a string or null'],
    [{ ...order, hostname: 'web-1', max_charge_minor: 1.5 }, 'max_charge_minor: must be a whole number'],
    [{ ...order, hostname: 'web-1', max_charge_minor: -1 }, 'max_charge_minor: must be at least 0'],
    [{ ...order, hostname: 'web-1', tempalte: 'x' }, 'tempalte: is not a field of this operation'],
    [
      { ...order, hostname: 'web-1', ['x'.repeat(5_000)]: 1 },
      `${'x'.repeat(64)}…: is not a field of this operation`,
    ],
    [[], 'body: must be an object'],
  ] as const) {
    assert.equal(compileChecks(createVm).refusal({}, body)?.message, message);
  }
  assert.equal(compileChecks(updateVm).refusal({}, {})?.message, 'body: must have at least 1 field');
  for (const [query, message] of [
    [{ limit: 'many' }, 'limit: must be a whole number'],
    [{ limit: ['1', '2'] }, 'limit: must be one value, given once'],
    [{ status: '' }, 'status: must not be empty'],
    [{ status: 'lost' }, /^status: must be one of provisioning, /],
  ] as const) {
    const refusal = compileChecks(listVms).refusal({ ...query }, {});
    if (typeof message === 'string') assert.equal(refusal?.message, message);
    else assert.match(refusal!.message, message);
  }
});
