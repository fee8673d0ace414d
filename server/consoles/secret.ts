import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits: nobody guesses them, so a plain hash is enough. */
const SECRET_BYTES = 32;

/** What a secret is for, as its first characters: secret scanners and people recognise it by them. */
export type SecretPrefix = 'vct' | 'vcs';

/** A console ticket or token (`vct_…`) or the secret of a share link (`vcs_…`); safe in a header and a URL's fragment. */
export function generateSecret(prefix: SecretPrefix): string {
  return `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** Whether `text` has the shape of a secret of this kind. */
export function isSecret(text: string, prefix: SecretPrefix): boolean {
  return text.startsWith(`${prefix}_`) && /^[A-Za-z0-9_-]{43}$/.test(text.slice(prefix.length + 1));
}

/** What is stored of it. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
