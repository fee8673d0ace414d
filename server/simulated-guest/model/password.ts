import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A password as the simulator keeps it: hex texts. */
export interface PasswordHash {
  salt: string;
  digest: string;
}

function digestOf(salt: string, password: string): Buffer {
  return createHash('sha256').update(salt).update(password).digest();
}

/**
 * Salted SHA-256 keeps the text out of dumps and backups. It is not slow on purpose, as a hash that guards
 * something must be: behind this one stands only a simulated shell, and guests are made by the thousand.
 */
export function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16).toString('hex');
  return { salt, digest: digestOf(salt, password).toString('hex') };
}

/** Whether `password` is the one that was hashed. */
export function passwordMatches(hash: PasswordHash, password: string): boolean {
  return timingSafeEqual(Buffer.from(hash.digest, 'hex'), digestOf(hash.salt, password));
}
