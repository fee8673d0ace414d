import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../platform/secrets.ts';

/** Too many to be guessed, so storing a plain hash is enough. */
const RANDOM_BYTES = 32;
/** Lets the installation recognize its own tokens, so that guesses cost the database nothing. */
const MARK_BYTES = 8;
const SHAPE = /^[A-Za-z0-9_-]{54}$/;
const PURPOSE = 'panel token';

/** Returns the secret for a session or for a link in a mail; it is handed out only once. */
export function generateToken(secrets: SecretBox): string {
  const random = randomBytes(RANDOM_BYTES);
  const mark = secrets.mark(random, PURPOSE).subarray(0, MARK_BYTES);
  return Buffer.concat([random, mark]).toString('base64url');
}

/** Returns whether this installation issued a token; says nothing about whether it is still valid. */
export function isIssuedToken(token: string, secrets: SecretBox): boolean {
  if (!SHAPE.test(token)) return false;
  const bytes = Buffer.from(token, 'base64url');
  return secrets.isMark(bytes.subarray(RANDOM_BYTES), bytes.subarray(0, RANDOM_BYTES), PURPOSE);
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
