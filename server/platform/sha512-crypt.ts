import { hash, randomInt } from 'node:crypto';

/** The base-64 alphabet of crypt(3). */
const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const DIGEST_BYTES = 64;
const DEFAULT_ROUNDS = 5000;
const SALT_LENGTH = 16;
/** Rounds before yielding to the event loop: about a millisecond. */
const ROUNDS_A_TURN = 500;

export interface CryptOptions {
  /** Up to 16 characters; random by default. */
  salt?: string;
  /** From 1000 to 999,999,999; named in the result if given. */
  rounds?: number;
}

/**
 * Hashes a password for /etc/shadow with the SHA-512 method of crypt(3), following Ulrich Drepper's specification. It
 * is slow on purpose, so it regularly yields to the event loop.
 */
export async function sha512Crypt(password: string, options: CryptOptions = {}): Promise<string> {
  const { salt = freshSalt(), rounds = DEFAULT_ROUNDS } = options;
  const key = Buffer.from(password);
  const salting = Buffer.from(salt.slice(0, SALT_LENGTH));
  const first = firstDigest(key, salting);
  const ofKey = repeated(sha512(...Array<Buffer>(key.length).fill(key)), key.length);
  const ofSalt = repeated(sha512(...Array<Buffer>(16 + first[0]!).fill(salting)), salting.length);
  let digest = first;
  for (let round = 0; round < rounds; round++) {
    if (round % ROUNDS_A_TURN === ROUNDS_A_TURN - 1) await new Promise(setImmediate);
    const odd = round % 2 === 1;
    const parts = [odd ? ofKey : digest];
    if (round % 3 !== 0) parts.push(ofSalt);
    if (round % 7 !== 0) parts.push(ofKey);
    parts.push(odd ? digest : ofKey);
    digest = sha512(...parts);
  }
  const named = options.rounds === undefined ? '' : `rounds=${rounds}$`;
  return `$6$${named}${salting}$${encoded(digest)}`;
}

function freshSalt(): string {
  return Array.from({ length: SALT_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

const sha512 = (...parts: Buffer[]): Buffer => hash('sha512', Buffer.concat(parts), 'buffer');

/** Returns the digest's bytes repeated up to `length`. */
function repeated(digest: Buffer, length: number): Buffer {
  return Buffer.alloc(length, digest);
}

/** Steps 1 to 12 of the specification. */
function firstDigest(key: Buffer, salt: Buffer): Buffer {
  const other = sha512(key, salt, key);
  const parts = [key, salt, repeated(other, key.length)];
  for (let left = key.length; left > 0; left >>= 1) parts.push(left & 1 ? other : key);
  return sha512(...parts);
}

/** Three bytes become four characters, lowest bits first; the specification picks the three in a cycle of 21. */
function encoded(digest: Buffer): string {
  let text = '';
  const write = (bits: number, count: number) => {
    for (let at = 0; at < count; at++) text += ALPHABET[(bits >> (6 * at)) & 63];
  };
  let [high, middle, low] = [0, 21, 42];
  for (let group = 0; group < 21; group++) {
    write((digest[high]! << 16) | (digest[middle]! << 8) | digest[low]!, 4);
    [high, middle, low] = [middle + 1, low + 1, high + 1];
  }
  write(digest[DIGEST_BYTES - 1]!, 2);
  return text;
}
