import fc from 'fast-check';

/** Values that any program might send, and that have broken services before. */

const RAW = /"raw:([^"]*)"/g;
/** A number in a notation that JavaScript would not produce. */
const raw = (number: string) => `raw:${number}`;

/** Returns JSON that can contain numbers in notations that `JSON.stringify` never produces. */
export function toJson(value: unknown): string {
  return JSON.stringify(value).replace(RAW, '$1');
}

/** Texts that break databases, logs or terminals rather than our own code. */
export const STUMBLING = [
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  '\u{1f418}',
  '\ufffe\uffff',
  '',
  'x'.repeat(3_000),
];

const TEXTS = [
  ' ',
  '\u202egnirts',
  'e\u0301\u0301\u0301',
  '\u{1f418}'.repeat(100),
  '\n\r\t\v\u2028',
  "'; drop table vms; --",
  '$1',
  '%00',
  '\\u0000',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '0x10',
  '1e3',
  '-0',
  '-1',
  '2147483648',
  '9223372036854775808',
];

const INSTANTS = [
  '2026-02-30T00:00:00Z',
  '2024-02-29T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '1000-01-01T00:00:00Z',
  '2999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
  '2026-01-01T00:00:00+14:00',
  '2026-01-01T00:00:00-99:99',
  '2026-01-01',
  '2026-13',
  '2026-00',
  '1999-12',
  'now',
  'infinity',
];

/** Numbers at the edges of the types that they pass through. */
export const NUMBERS = [
  ...[0, -1, 1, 0.1, 1.5, 1e21, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, -(2 ** 53), 2 ** 63, 1e308],
  ...['-0', '1e400', '-1e400', '1e-400', '9007199254740993', '0.1e1', `1${'0'.repeat(400)}`].map(raw),
];

const TREES = [
  [],
  {},
  [[[[]]]],
  [null],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__": {"x": 1}}') as object,
];

/** Any text, hostile ones more often. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...STUMBLING), weight: 3 },
  fc.constantFrom(...TEXTS, ...INSTANTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
  fc.emailAddress(),
  fc.ipV4(),
  fc.ipV6(),
  fc.date({ noInvalidDate: false }).map(String),
);

export const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.constantFrom<unknown>(...NUMBERS, ...TREES, null, true, false),
  fc.double().map((number) => (Number.isFinite(number) ? number : null)),
  fc.maxSafeInteger(),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.array(text, { maxLength: 5 }),
);

/** Header values that Node lets through: Latin-1 without control characters. */
export const headerText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('', ' ', '\u00ff', ',', 'a, b', 'x'.repeat(201), 'Bearer', '*/*', '-1', '1e9'),
  fc.string({ unit: 'binary-ascii', maxLength: 64 }).map((text) => text.replace(/[^\x20-\x7e]/g, '\u00e9')),
);

const FRAGMENTS = [
  'GET ',
  'POST ',
  '/v1/vm',
  ' HTTP/1.1\r\n',
  'Host: localhost\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\nConnection: Upgrade\r\n',
  '\r\n',
  '0\r\n\r\n',
  '{}',
];

/** Pieces of HTTP in any order, with anything between them. */
export const brokenRequests: fc.Arbitrary<Buffer> = fc
  .array(
    fc.oneof({ arbitrary: fc.constantFrom(...FRAGMENTS), weight: 3 }, fc.uint8Array({ maxLength: 20 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))));
