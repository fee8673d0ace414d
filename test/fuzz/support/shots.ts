import fc from 'fast-check';
import { type Call, toRequest } from '../../acceptance/support/client.ts';
import { deref, OPERATIONS, type Operation, type Schema } from '../../acceptance/support/document.ts';
import type { Request } from '../../acceptance/support/transport.ts';
import { type Ids, validCall } from '../../acceptance/support/valid-calls.ts';
import { fromSchema } from './from-schema.ts';
import { headerText, NUMBERS, STUMBLING, text, toJson, value } from './junk.ts';

type Change =
  | { what: 'body'; body: unknown }
  | { what: 'field'; name: string; value: unknown }
  | { what: 'query'; query: Record<string, string> }
  | { what: 'place'; nth: number; text: string }
  | { what: 'header'; name: string; text: string }
  | { what: 'bytes'; bytes: Uint8Array };

/** A request to be built: an operation's valid call, and the changes to it. */
export interface Shot {
  operation: Operation;
  changes: Change[];
}

const HEADERS = [
  'idempotency-key',
  'x-request-id',
  'content-type',
  'accept',
  'authorization',
  'x-forwarded-for',
  'expect',
  'range',
  'cookie',
];

type Parts<W> = Omit<Extract<Change, { what: W }>, 'what'>;

/** Generates changes of one kind from the values of their parts. */
function change<W extends Change['what']>(
  what: W,
  parts: { [K in keyof Parts<W>]: fc.Arbitrary<Parts<W>[K]> },
): fc.Arbitrary<Change> {
  return fc.record({ what: fc.constant(what), ...parts }) as unknown as fc.Arbitrary<Change>;
}

function changesOf({ body, query, variables }: Operation): fc.MaybeWeightedArbitrary<Change>[] {
  const pairs = [
    fc.tuple(fc.constantFrom('x', 'id'), text),
    ...query.map(({ name, schema }) =>
      fc.tuple(fc.constant(name), fc.oneof(fromSchema(schema).map(String), text)),
    ),
  ];
  return [
    change('header', { name: fc.constantFrom(...HEADERS), text: headerText }),
    change('query', {
      query: fc.array(fc.oneof(...pairs), { minLength: 1, maxLength: 3 }).map(Object.fromEntries),
    }),
    ...variables.map((_, nth) => change('place', { nth: fc.constant(nth), text })),
    ...(body
      ? [
          change('body', { body: fc.oneof(fromSchema(body.schema), value) }),
          { arbitrary: fieldOf(body.schema), weight: 4 },
          change('bytes', { bytes: fc.uint8Array({ maxLength: 64 }) }),
        ]
      : []),
  ];
}

/** Sets an existing or an unknown field of the body to a valid value, to anything, or to nothing. */
function fieldOf({ properties = {} }: Schema): fc.Arbitrary<Change> {
  const known = Object.entries(properties).map(([name, schema]) =>
    change('field', {
      name: fc.constant(name),
      value: fc.oneof({ arbitrary: fromSchema(schema), weight: 2 }, value, fc.constant(undefined)),
    }),
  );
  return fc.oneof(...known, change('field', { name: text, value }));
}

/** Returns the relative number of tries for an operation: the more input it takes, the more can go wrong. */
const weightOf = ({ body, query }: Operation) =>
  1 + query.length + 2 * Object.keys(body?.schema.properties ?? {}).length;

/** Shots at every operation, with up to three changes. */
export const shots: fc.Arbitrary<Shot> = fc.oneof(
  ...OPERATIONS.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: fc.record({
      operation: fc.constant(operation),
      changes: fc.array(fc.oneof(...changesOf(operation)), { minLength: 1, maxLength: 3 }),
    }),
  })),
);

/** Enough values of the wrong kind to show that a field refuses them. */
const FEW = 2;

/**
 * Yields every shot that puts one hostile value into one place, over all places. A field gets all values of its own
 * kind (text or number) and only a few of the other kind, which it refuses in any case.
 */
export function* everywhere(operation: Operation): Generator<Shot> {
  const { body, query, variables } = operation;
  for (const text of STUMBLING) {
    for (const nth of variables.keys()) yield { operation, changes: [{ what: 'place', nth, text }] };
    for (const { name } of query) yield { operation, changes: [{ what: 'query', query: { [name]: text } }] };
  }
  for (const [name, schema] of Object.entries(body?.schema.properties ?? {}))
    for (const value of hostileTo(schema)) yield { operation, changes: [{ what: 'field', name, value }] };
}

function hostileTo(schema: Schema): unknown[] {
  const kinds = kindsOf(schema);
  const takesNumbers = kinds.some((kind) => kind === 'integer' || kind === 'number');
  const takesTexts = kinds.includes('string');
  return [
    ...(takesTexts || !takesNumbers ? STUMBLING : STUMBLING.slice(0, FEW)),
    ...(takesNumbers ? NUMBERS : NUMBERS.slice(0, FEW)),
  ];
}

function kindsOf(given: Schema): (string | undefined)[] {
  const { type, anyOf = [] } = deref(given);
  return [...[type].flat(), ...anyOf.flatMap(kindsOf)];
}

/** Returns the request of a shot, with the ids of existing objects. */
export function aim({ operation, changes }: Shot, ids: Ids): Request {
  const call = changes.reduce(applyToCall, structuredClone(validCall(operation, ids)));
  const { body, ...rest } = call;
  const request = toRequest(operation, rest);
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...request.headers };
  const written = body === undefined ? {} : { body: toJson(body) };
  return changes.reduce<Request>(applyToRequest, { ...request, headers, ...written });
}

function applyToCall(call: Call, change: Change): Call {
  switch (change.what) {
    case 'body':
      return { ...call, body: change.body };
    case 'query':
      return { ...call, query: { ...call.query, ...change.query } };
    case 'field':
      return withField(call, change);
    default:
      return call;
  }
}

function withField(call: Call, { name, value }: { name: string; value: unknown }): Call {
  if (typeof call.body !== 'object' || call.body === null) return call;
  return { ...call, body: Object.fromEntries([...Object.entries(call.body), [name, value]]) };
}

function applyToRequest(request: Request, change: Change): Request {
  switch (change.what) {
    case 'header':
      return { ...request, headers: { ...request.headers, [change.name]: change.text } };
    case 'bytes':
      return { ...request, body: Buffer.from(change.bytes) };
    case 'place':
      return { ...request, target: withPlace(request.target, change) };
    default:
      return request;
  }
}

/** Returns the target with one segment replaced. */
function withPlace(target: string, { nth, text }: { nth: number; text: string }): string {
  const [path, ...query] = target.split('?');
  const segments = path!.split('/');
  const ids = segments.flatMap((segment, index) => (/^[a-z]+_/.test(segment) ? [index] : []));
  const index = ids[nth];
  if (index === undefined) return target;
  segments[index] = Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9_-]/g, percent);
  return [segments.join('/'), ...query].join('?');
}

const percent = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
