import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parseCidr } from '../cidr.ts';
import { type TObject, Type } from '../schema.ts';

// What becomes text of a program with privileges: nothing passes here that is not exactly of its kind.

/** What an argument is not: `field` says where. It has changed nothing. */
export class InvalidArgumentError extends Error {
  override name = 'InvalidArgumentError';
}

/** An address in the one notation that is not also something else, such as a host's name or a mapped address. */
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
    // Spelt as the system will find it: no step up, no doubled slash, nothing that could end a line.
    path: (text) => isAbsolute(text) && normalize(text) === text && !/\p{C}/u.test(text),
  },
});

export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$';
export const Id = Type.String({ pattern: ID_PATTERN });
/** A check of `schema`, compiled once, that throws {@link InvalidArgumentError} naming the first wrong field. */
export function checkOf<T>(schema: TObject): (value: unknown) => asserts value is T {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    if (validate(value)) return;
    const [error] = validate.errors ?? [];
    const field = error?.instancePath.slice(1).replaceAll('/', '.') || 'arguments';
    throw new InvalidArgumentError(`${field}: ${error?.message ?? 'is not valid'}`);
  };
}
