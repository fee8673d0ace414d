import { createHash, randomInt } from 'node:crypto';

const CODES = 10;
/** Without letters and digits that look alike. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';
/** Four groups of four: 78 bits, so that a plain hash is all that need be stored. */
const GROUPS = 4;
const GROUP = 4;

/** New codes, each of which stands for the second factor once. */
export function makeRecoveryCodes(): string[] {
  const character = () => ALPHABET[randomInt(ALPHABET.length)]!;
  const group = () => Array.from({ length: GROUP }, character).join('');
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join('-'));
}

/** What is stored of a code, however it is typed. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ''))
    .digest();
}
