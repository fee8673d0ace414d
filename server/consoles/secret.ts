import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../platform/secrets.ts';

/** 160 random bits cannot be guessed, so storing a plain hash of the secret is safe. */
const RANDOM_BYTES = 20;
/**
 * The rest is the installation's mark, which distinguishes an issued secret from a guess without a database query.
 */
const MARK_BYTES = 12;

/** The purpose of a secret, as its first characters, by which secret scanners and people recognise it. */
export type SecretPrefix = 'vct' | 'vcs';

/**
 * Returns a console ticket or token (`vct_…`) or the secret of a share link (`vcs_…`), which is safe in a header and
 * in a URL's fragment.
 */
export function generateSecret(prefix: SecretPrefix, secrets: SecretBox): string {
  const random = randomBytes(RANDOM_BYTES);
  return `${prefix}_${Buffer.concat([random, markOf(random, prefix, secrets)]).toString('base64url')}`;
}

/**
 * Returns true if this installation issued a secret of this kind, which does not mean that it is still valid. Also
 * false after the installation's key is gone: such a secret is looked up like any other.
 */
export function wasIssued(text: string, prefix: SecretPrefix, secrets: SecretBox): boolean {
  if (!isSecret(text, prefix)) return false;
  const bytes = Buffer.from(text.slice(prefix.length + 1), 'base64url');
  return secrets.isMark(bytes.subarray(RANDOM_BYTES), bytes.subarray(0, RANDOM_BYTES), purposeOf(prefix));
}

const purposeOf = (prefix: SecretPrefix) => `console secret ${prefix}`;
const markOf = (random: Buffer, prefix: SecretPrefix, secrets: SecretBox) =>
  secrets.mark(random, purposeOf(prefix)).subarray(0, MARK_BYTES);

/** Returns true if `text` has the format of a secret of this kind. */
export function isSecret(text: string, prefix: SecretPrefix): boolean {
  return text.startsWith(`${prefix}_`) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length + 1));
}

/** Returns the hash that is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
