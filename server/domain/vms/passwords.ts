import { randomInt } from 'node:crypto';

/** Without similar characters, because people type these passwords into consoles. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20; // 20 · log2(55) ≈ 115 bits

/** Returns a new password. It can only be shown once. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
