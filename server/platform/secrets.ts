import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config-error.ts';
import { syncPath } from './durable-file.ts';
import { parseKeys256 } from './keys256.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Hexadecimal digits of a key's id: enough to distinguish a handful of keys, without revealing anything about them. */
const ID_DIGITS = 8;
/**
 * Separates a key's id from the sealed text. It does not occur in base64, so texts sealed before keys had ids do not
 * contain it.
 */
const SEPARATOR = '.';

/** A text was sealed with a key that this installation does not have. */
export class UnknownKeyError extends Error {
  override name = 'UnknownKeyError';
}

/**
 * Encrypts texts that must be readable again (a stored reply, a job's password) with the installation's keys. The first
 * key seals; each opens what it sealed. That allows keys to be replaced.
 */
export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** Id of the key that seals. */
  readonly keyId: string;

  constructor(...keys: [Buffer, ...Buffer[]]) {
    for (const { length } of keys)
      if (length !== KEY_BYTES) throw new Error(`the installation key must have ${KEY_BYTES} bytes`);
    this.#keys = new Map(keys.map((key) => [idOf(key), key]));
    this.keyId = idOf(keys[0]);
  }

  /**
   * Returns "<key id>.<base64>". `purpose` is authenticated: a text sealed for one purpose cannot be opened for
   * another.
   */
  seal(text: string, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const key = this.#keys.get(this.keyId)!;
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return this.keyId + SEPARATOR + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /**
   * Returns the text. Throws if it was sealed for another purpose or changed; {@link UnknownKeyError} for another key.
   */
  open(sealed: string, purpose: string): string {
    const at = sealed.indexOf(SEPARATOR);
    if (at < 0) return this.#openWithAny(sealed, purpose);
    const id = sealed.slice(0, at);
    const key = this.#keys.get(id);
    if (!key) throw new UnknownKeyError(`sealed with the key ${id}, which is not configured`);
    return openWith(key, sealed.slice(at + 1), purpose);
  }

  /** Returns a mark by which this installation can recognize, for one purpose, what it has created. */
  mark(bytes: Buffer, purpose: string): Buffer {
    return markWith(this.#keys.get(this.keyId)!, bytes, purpose);
  }

  /** Returns whether `mark`, which may be truncated, was made with any of this installation's keys. */
  isMark(mark: Buffer, bytes: Buffer, purpose: string): boolean {
    const made = [...this.#keys.values()].map((key) =>
      markWith(key, bytes, purpose).subarray(0, mark.length),
    );
    return made.some((own) => timingSafeEqual(own, mark));
  }

  /** Texts sealed before keys had ids do not name their key: only the right one opens them. */
  #openWithAny(sealed: string, purpose: string): string {
    for (const key of this.#keys.values()) {
      try {
        return openWith(key, sealed, purpose);
      } catch {
        // Another key's text, or not a sealed text at all.
      }
    }
    throw new UnknownKeyError('sealed with a key that is not configured, or changed since');
  }
}

function openWith(key: Buffer, sealed: string, purpose: string): string {
  const bytes = Buffer.from(sealed, 'base64');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
}

function markWith(key: Buffer, bytes: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\0`).update(bytes).digest();
}

function idOf(key: Buffer): string {
  return createHash('sha256').update('vauban key id\0').update(key).digest('hex').slice(0, ID_DIGITS);
}

export interface KeySource {
  secretKey?: [Buffer, ...Buffer[]];
  /** A file with one key per line. */
  secretKeyFile?: string;
  dataDir: string;
}

/**
 * Opens the installation's keys: the configured ones, or those in the configured file, otherwise those in a file in the
 * data directory that the first start creates, readable only by its owner. Nodes that share a database must have the
 * same keys. Throws {@link ConfigError} if a file contains no keys.
 */
export async function openSecretBox({ secretKey, secretKeyFile, dataDir }: KeySource): Promise<SecretBox> {
  if (secretKey && secretKeyFile !== undefined)
    throw new ConfigError(['VAUBAN_SECRET_KEY_FILE: set either this or VAUBAN_SECRET_KEY']);
  if (secretKey) return new SecretBox(...secretKey);
  return new SecretBox(...(await readKeys(secretKeyFile ?? (await ownFile(dataDir)))));
}

async function ownFile(dataDir: string): Promise<string> {
  const file = join(dataDir, 'installation.key');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, randomBytes(KEY_BYTES).toString('hex'), { flag: 'wx', mode: 0o600, flush: true });
    await syncPath(dataDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await chmod(file, 0o600);
  }
  return file;
}

async function readKeys(file: string): Promise<[Buffer, ...Buffer[]]> {
  const refuse = (problem: string) => new ConfigError([`VAUBAN_SECRET_KEY_FILE: ${file} ${problem}`]);
  const text = await readFile(file, 'utf8').catch((error) => {
    throw refuse(`cannot be read: ${error.message}`);
  });
  const keys = parseKeys256(text.trim().split(/\s+/).join(','));
  if (!keys) throw refuse('must contain keys of 32 bytes in base64 or hexadecimal, one per line');
  return keys;
}
