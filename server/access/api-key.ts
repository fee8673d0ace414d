import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SecretBox } from '../platform/secrets.ts';

/**
 * An API key is `vk_` + 27 base-62 characters (128 random bits, and 32 by which the installation recognizes its own
 * keys) + 6 characters of CRC-32. The checksum detects typos and look-alikes without a look-up, and lets secret
 * scanners report only real keys.
 */
export const KEY_PREFIX = 'vk_';
const RANDOM_BYTES = 16;
const MARK_BYTES = 4;
const RANDOM_CHARACTERS = 27; // 62^27 > 2^160
const CHECKSUM_CHARACTERS = 6; // 62^6 > 2^32
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^vk_[0-9A-Za-z]{33}$/;

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(KEY_PREFIX + body)), CHECKSUM_CHARACTERS);
}

function fromBase62(text: string): bigint {
  return [...text].reduce((value, character) => value * 62n + BigInt(BASE62.indexOf(character)), 0n);
}

/**
 * Returns a fresh key, to be shown only once. Without the installation's secrets it works, but {@link isIssuedKey}
 * returns false for it.
 */
export function generateKey(secrets?: SecretBox): string {
  const random = randomBytes(RANDOM_BYTES);
  const bytes = Buffer.concat([random, secrets ? markOf(random, secrets) : randomBytes(MARK_BYTES)]);
  const body = base62(BigInt(`0x${bytes.toString('hex')}`), RANDOM_CHARACTERS);
  return KEY_PREFIX + body + checksum(body);
}

/**
 * Returns whether this installation issued a well-formed key, valid or not. Needs no look-up, so that guesses cost the
 * database nothing. Also false for a key that is older than the installation's secret.
 */
export function isIssuedKey(key: string, secrets: SecretBox): boolean {
  const body = key.slice(KEY_PREFIX.length, -CHECKSUM_CHARACTERS);
  const hex = fromBase62(body)
    .toString(16)
    .padStart(2 * (RANDOM_BYTES + MARK_BYTES), '0');
  const bytes = Buffer.from(hex, 'hex');
  if (bytes.length !== RANDOM_BYTES + MARK_BYTES) return false;
  return secrets.isMark(bytes.subarray(RANDOM_BYTES), bytes.subarray(0, RANDOM_BYTES), MARK_PURPOSE);
}

const MARK_PURPOSE = 'api key';
const markOf = (random: Buffer, secrets: SecretBox) =>
  secrets.mark(random, MARK_PURPOSE).subarray(0, MARK_BYTES);

/** Returns whether `text` has the shape and checksum of a key; says nothing about whether it exists. */
export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(KEY_PREFIX.length, -CHECKSUM_CHARACTERS);
  return text.endsWith(checksum(body));
}

/**
 * Returns the hash that is stored of a key. A plain SHA-256 suffices: 128 random bits cannot be guessed, so a slow
 * password hash would only slow the service down.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Returns the last characters, by which people recognise a key in a list. */
export function keyHint(key: string): string {
  return `${KEY_PREFIX}…${key.slice(-4)}`;
}
