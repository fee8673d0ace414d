import { randomInt } from 'node:crypto';

/** Without characters that look alike: people type these into consoles. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20; // 20 · log2(55) ≈ 115 bits

/** A password to be shown once. */
export function generatePassword(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
