import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type ApiError, invalidField } from '../../platform/errors.ts';
import type { FieldCode } from '../../platform/field-codes.ts';
import { blobFields, blobType, isCanonicalInteger } from './key-blob.ts';

export interface PublicKey {
  /** The key type as named by SSH, such as "ssh-ed25519". */
  algorithm: string;
  /** "SHA256:…" without padding, as OpenSSH prints it. */
  fingerprint: string;
  /** One authorized_keys line: type, base64 and the comment, if there is one. */
  public_key: string;
}

/** Longest accepted text: the largest RSA key takes 2,800 characters, the rest is the comment. */
export const MAX_PUBLIC_KEY_LENGTH = 8192;
/** In bits. Smaller keys are within reach of factoring; OpenSSH itself creates none smaller by default. */
const MIN_RSA_BITS = 2048;
/** In bits. OpenSSH refuses larger keys: such a key would lock its owner out. */
const MAX_RSA_BITS = 16_384;

/** A key type: the number of fields in its blob, and how they map to a form that the crypto library checks. */
interface Algorithm {
  fields: number;
  toJwk(fields: Buffer[]): JsonWebKey | undefined;
}

/**
 * The accepted key types. DSA is missing because OpenSSH dropped it, certificates because only their authority can
 * vouch for them. The `sk-` types live in a security token: the ordinary key, followed by the application's name.
 */
const ALGORITHMS = new Map<string, Algorithm>([
  ['ssh-ed25519', { fields: 2, toJwk: ed25519 }],
  ['sk-ssh-ed25519@openssh.com', { fields: 3, toJwk: ed25519 }],
  ['ecdsa-sha2-nistp256', { fields: 3, toJwk: ecdsa('nistp256', 'P-256', 32) }],
  ['ecdsa-sha2-nistp384', { fields: 3, toJwk: ecdsa('nistp384', 'P-384', 48) }],
  ['ecdsa-sha2-nistp521', { fields: 3, toJwk: ecdsa('nistp521', 'P-521', 66) }],
  ['sk-ecdsa-sha2-nistp256@openssh.com', { fields: 4, toJwk: ecdsa('nistp256', 'P-256', 32) }],
  ['ssh-rsa', { fields: 3, toJwk: rsa }],
]);

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----|PuTTY-User-Key-File|^b3BlbnNzaC1rZXktdjE/;

/**
 * Parses a public key in OpenSSH's format. Throws `validation_failed` for the field `public_key`, with the code
 * `not_allowed` (a private key), `invalid_format`, `not_supported` or `too_weak`.
 */
export function parsePublicKey(text: string): PublicKey {
  const line = text.trim();
  if (PRIVATE_KEY.test(line)) {
    throw refusal(
      'not_allowed',
      'is a private key; send the public key instead, and treat this one as compromised',
    );
  }
  const [, type, base64, comment] = /^(\S+)[ \t]+(\S+)(?:[ \t]+([^ \t].*))?$/.exec(line) ?? [];
  // A line break would add a second key, or an option, to the guest's authorized_keys.
  if (!type || !base64 || /(?!\t)\p{Cc}/u.test(line)) throw malformed();
  const blob = Buffer.from(base64, 'base64');
  if (blob.toString('base64') !== base64 || blobType(blob) !== type) throw malformed();
  const algorithm = ALGORITHMS.get(type);
  if (!algorithm) {
    throw refusal('not_supported', `must be one of the types ${[...ALGORITHMS.keys()].join(', ')}`);
  }
  requireSound(algorithm, blobFields(blob));
  return {
    algorithm: type,
    fingerprint: `SHA256:${createHash('sha256')
      .update(blob)
      .digest('base64')
      .replace(/={1,2}$/, '')}`,
    public_key: [type, base64, comment].filter(Boolean).join(' '),
  };
}

function requireSound(algorithm: Algorithm, fields: Buffer[] | undefined): void {
  const jwk = fields?.length === algorithm.fields ? algorithm.toJwk(fields) : undefined;
  const key = jwk && toKey(jwk);
  if (!key) throw malformed();
  const { modulusLength: bits, publicExponent: exponent } = key.asymmetricKeyDetails ?? {};
  if (bits === undefined || exponent === undefined) return;
  if (bits < MIN_RSA_BITS)
    throw refusal('too_weak', `has ${bits} bits; an RSA key needs at least ${MIN_RSA_BITS}`);
  if (bits > MAX_RSA_BITS)
    throw refusal('not_supported', `has ${bits} bits, which is more than SSH supports`);
  if (exponent < 3n || exponent % 2n === 0n) throw refusal('too_weak', 'has an insecure exponent');
}

/** Returns the key, or undefined if its numbers are invalid: a point off its curve, or a wrong length. */
function toKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function ed25519([, point]: Buffer[]): JsonWebKey {
  return { kty: 'OKP', crv: 'Ed25519', x: point!.toString('base64url') };
}

/** The point is uncompressed: the byte 4, then two coordinates of `size` bytes. */
function ecdsa(curve: string, crv: string, size: number): Algorithm['toJwk'] {
  return ([, name, point]) => {
    if (name!.toString('latin1') !== curve || point!.length !== 1 + 2 * size || point![0] !== 4)
      return undefined;
    const x = point!.subarray(1, 1 + size).toString('base64url');
    return { kty: 'EC', crv, x, y: point!.subarray(1 + size).toString('base64url') };
  };
}

function rsa([, e, n]: Buffer[]): JsonWebKey | undefined {
  // A different encoding of the same number would give the same key another fingerprint.
  if (!isCanonicalInteger(e!) || !isCanonicalInteger(n!)) return undefined;
  return { kty: 'RSA', e: e!.toString('base64url'), n: n!.toString('base64url') };
}

function malformed(): ApiError {
  return refusal(
    'invalid_format',
    'must be one line with one public key in OpenSSH format: type, base64, comment',
  );
}

function refusal(code: FieldCode, message: string): ApiError {
  return invalidField('public_key', code, message);
}
