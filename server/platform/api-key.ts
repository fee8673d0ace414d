import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key reads `vk_` + 27 base-62 characters (160 random bits) + 6 characters of CRC-32. The checksum
 * tells a typo or a look-alike from a key without a look-up, and lets secret scanners report only real ones.
 */
export const KEY_PREFIX = 'vk_';
const RANDOM_BYTES = 20;
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

/** A fresh key, to be shown once. */
export function generateKey(): string {
  const body = base62(BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`), RANDOM_CHARACTERS);
  return KEY_PREFIX + body + checksum(body);
}

/** Whether `text` has the shape and the checksum of a key; says nothing about whether it exists. */
export function isWellFormedKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const body = text.slice(KEY_PREFIX.length, -CHECKSUM_CHARACTERS);
  return text.endsWith(checksum(body));
}

/**
 * What is stored of a key. A plain SHA-256 is right here: 160 random bits cannot be guessed, so a slow
 * password hash would only slow the service down.
 */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The last characters, by which people recognise a key in a list. */
export function keyHint(key: string): string {
  return `${KEY_PREFIX}…${key.slice(-4)}`;
}
