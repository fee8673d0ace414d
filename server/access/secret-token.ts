import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../platform/secrets.ts';

/** More than can be guessed, so that a plain hash is all that need be stored. */
const RANDOM_BYTES = 32;
/** By which the installation knows its own tokens, so that guesses cost the database nothing. */
const MARK_BYTES = 8;
const SHAPE = /^[A-Za-z0-9_-]{54}$/;
const PURPOSE = 'panel token';

/** The secret of a session or of a link in a mail, to be handed out once. */
export function generateToken(secrets: SecretBox): string {
  const random = randomBytes(RANDOM_BYTES);
  const mark = secrets.mark(random, PURPOSE).subarray(0, MARK_BYTES);
  return Buffer.concat([random, mark]).toString('base64url');
}

/** Whether this installation has made a token; says nothing about whether it is still good. */
export function isIssuedToken(token: string, secrets: SecretBox): boolean {
  if (!SHAPE.test(token)) return false;
  const bytes = Buffer.from(token, 'base64url');
  return secrets.isMark(bytes.subarray(RANDOM_BYTES), bytes.subarray(0, RANDOM_BYTES), PURPOSE);
}

/** What is stored of it. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
