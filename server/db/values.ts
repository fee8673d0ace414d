import { types } from '@electric-sql/pglite';

/** Converts text from the database to a JavaScript value. */
export type Parser = (text: string) => unknown;
/** Converts a JavaScript value to text that the database reads. */
export type Serializer = (value: never) => string;

/** The array type of each built-in type whose arrays we read or write; these object ids never change. */
const ARRAY_OF: Record<number, number> = {
  [types.BOOL]: 1000,
  [types.BYTEA]: 1001,
  [types.INT2]: 1005,
  [types.INT4]: 1007,
  [types.TEXT]: 1009,
  [types.VARCHAR]: 1015,
  [types.INT8]: 1016,
  [types.FLOAT4]: 1021,
  [types.FLOAT8]: 1022,
  [types.INET]: 1041,
  [types.CIDR]: 651,
  [types.DATE]: 1182,
  [types.TIMESTAMPTZ]: 1185,
  [types.NUMERIC]: 1231,
  [types.UUID]: 2951,
  [types.JSON]: 199,
  [types.JSONB]: 3807,
};

const text = (value: { toString(): string }) => value.toString();

const scalarParsers: Record<number, Parser> = {
  ...types.parsers,
  [types.INT8]: (digits) => BigInt(digits),
  [types.NUMERIC]: (digits) => digits,
  [types.BYTEA]: (hex) => Buffer.from(hex.slice(2), 'hex'),
};

const scalarSerializers: Record<number, Serializer> = {
  ...types.serializers,
  [types.NUMERIC]: text,
  [types.BYTEA]: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
};

function forArrays<Codec>(wrap: (element: number, array: number) => Codec): Record<number, Codec> {
  return Object.fromEntries(
    Object.entries(ARRAY_OF).map(([element, array]) => [array, wrap(Number(element), array)]),
  );
}

/**
 * The parsers of results and the writers of parameters, by the type's object id. Both engines share these, so no query
 * can tell them apart. A parameter is written as the type that the statement expects, so a JavaScript array becomes
 * text[] or json depending on the cast or the column. For a json parameter, a string counts as JSON text; any other
 * value is encoded.
 */
export const PARSERS: Record<number, Parser> = {
  ...scalarParsers,
  ...forArrays((element, array) => (literal: string) => {
    const parse = scalarParsers[element] ?? ((item: string) => item);
    return types.arrayParser(literal, parse, array);
  }),
};
export const SERIALIZERS: Record<number, Serializer> = {
  ...scalarSerializers,
  ...forArrays((element, array) => (items: unknown) => {
    return types.arraySerializer(items, scalarSerializers[element] as (item: unknown) => string, array);
  }),
};
