import { createHash, randomInt } from 'node:crypto';

const CODES = 10;
/** Leaves out letters and digits that are easily confused. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';
/** Four groups of four: 78 bits, so storing a plain hash is enough. */
const GROUPS = 4;
const GROUP = 4;

/** Returns new codes, each of which replaces the second factor once. */
export function makeRecoveryCodes(): string[] {
  const character = () => ALPHABET[randomInt(ALPHABET.length)]!;
  const group = () => Array.from({ length: GROUP }, character).join('');
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join('-'));
}

/** Returns the hash that is stored of a code, regardless of case and separators. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .digest();
}
