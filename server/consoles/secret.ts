import { createHash, randomBytes } from 'node:crypto';
import type { SecretBox } from '../platform/secrets.ts';

/** 160 random bits cannot be guessed, so a plain hash of the secret is enough to store. */
const RANDOM_BYTES = 20;
/** The rest is the installation's mark, which tells a guess from an issued secret without asking the database. */
const MARK_BYTES = 12;

/** What a secret is for, as its first characters: secret scanners and people recognise it by them. */
export type SecretPrefix = 'vct' | 'vcs';

/** A console ticket or token (`vct_…`) or the secret of a share link (`vcs_…`); safe in a header and a URL's fragment. */
export function generateSecret(prefix: SecretPrefix, secrets: SecretBox): string {
  const random = randomBytes(RANDOM_BYTES);
  return `${prefix}_${Buffer.concat([random, markOf(random, prefix, secrets)]).toString('base64url')}`;
}

/**
 * Whether this installation issued a secret of this kind, which says nothing of whether it is still good. False also
 * after the installation's key has gone: such a secret is looked up like any other.
 */
export function wasIssued(text: string, prefix: SecretPrefix, secrets: SecretBox): boolean {
  if (!isSecret(text, prefix)) return false;
  const bytes = Buffer.from(text.slice(prefix.length + 1), 'base64url');
  return secrets.isMark(bytes.subarray(RANDOM_BYTES), bytes.subarray(0, RANDOM_BYTES), purposeOf(prefix));
}

const purposeOf = (prefix: SecretPrefix) => `console secret ${prefix}`;
const markOf = (random: Buffer, prefix: SecretPrefix, secrets: SecretBox) =>
  secrets.mark(random, purposeOf(prefix)).subarray(0, MARK_BYTES);

/** Whether `text` has the shape of a secret of this kind. */
export function isSecret(text: string, prefix: SecretPrefix): boolean {
  return text.startsWith(`${prefix}_`) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length + 1));
}

/** What is stored of it. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
