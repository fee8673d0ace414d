import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseCidr } from './cidr.ts';
import { type TObject, Type } from './schema.ts';

// Arguments become input of privileged programs: nothing passes here unless it matches its shape exactly.

/** An argument is invalid; the message names the field. Nothing has been changed. */
export class InvalidArgumentError extends Error {
  override name = 'InvalidArgumentError';
}

/**
 * Returns whether `text` is an address in the only notation that cannot also mean something else, such as a host name
 * or a mapped address.
 */
export function isAddress(text: string): boolean {
  return isIP(text) === 4 || (isIP(text) === 6 && /^[0-9a-f:]+$/i.test(text));
}

const isNetwork = (text: string) => {
  const cidr = parseCidr(text);
  return cidr !== undefined && !cidr.hasHostBits && isAddress(cidr.address);
};
const isPorts = (text: string) => {
  const [, from, to = from] = /^([1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/.exec(text) ?? [];
  return from !== undefined && Number(from) <= Number(to) && Number(to) <= 65_535;
};

const ajv = new Ajv({
  strict: true,
  allowUnionTypes: true,
  formats: {
    address: isAddress,
    address4: (text) => isIP(text) === 4,
    network: isNetwork,
    ports: isPorts,
    // Normalized as the system will resolve it: no `..`, no doubled slash, nothing that could end a line.
    path: (text) => isAbsolute(text) && normalize(text) === text && !/\p{C}/u.test(text),
  },
});

export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
export const Id = Type.String({ pattern: ID_PATTERN });
/** Kernel device names that are safe to put into a batch. */
export const DEVICE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$';
/** Options of an object that has no other fields than those listed. */
export const closed = { additionalProperties: false };
/** The arguments of an operation that has none. */
export const Nothing = Type.Object({}, closed);

/** Longest part of an unknown field's name that a message repeats. */
const MAX_NAME = 64;

/**
 * Returns a check of `schema`, compiled once, that throws {@link InvalidArgumentError} naming the first invalid field.
 */
export function checkOf<T>(schema: TObject): (value: unknown) => asserts value is T {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return;
    const [error] = validate.errors ?? [];
    const field = error?.instancePath.slice(1).replaceAll('/', '.') || 'arguments';
    const extra = error?.params.additionalProperty;
    const name = typeof extra === 'string' ? `: ${extra.slice(0, MAX_NAME)}` : '';
    throw new InvalidArgumentError(`${field}: ${error?.message ?? 'is not valid'}${name}`);
  };
}
