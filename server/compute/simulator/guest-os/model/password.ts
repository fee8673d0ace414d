import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A password hash as the simulator stores it, in hex. */
export interface PasswordHash {
  salt: string;
  digest: string;
}

function digestOf(salt: string, password: string): Buffer {
  return createHash('sha256').update(salt).update(password).digest();
}

/**
 * Hashes with salted SHA-256, which keeps the text out of dumps and backups. It is not deliberately slow, as a real
 * password hash must be, because it only protects a simulated shell, and guests are created by the thousand.
 */
export function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16).toString('hex');
  return { salt, digest: digestOf(salt, password).toString('hex') };
}

export function passwordMatches(hash: PasswordHash, password: string): boolean {
  return timingSafeEqual(Buffer.from(hash.digest, 'hex'), digestOf(hash.salt, password));
}
