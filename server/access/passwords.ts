import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError, invalidField } from '../platform/errors.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19 * 1024;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Concurrent hashes: each takes a thread and 19 MiB for some tens of milliseconds. */
const AT_ONCE = 2;
/** Hashes waiting for their turn: a few seconds' worth. */
const MOST_WAITING = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Shortest password: long enough for the attempt limits to protect it, short enough for people to accept. */
export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 200;
/** With fewer different characters, someone held a key down. */
const MIN_DISTINCT = 5;

/** Throws a validation error for `field` if the password would be among the first guesses. */
export function requireGoodPassword(password: string, email: string, field = 'password'): void {
  const plain = password.toLowerCase();
  const [local = ''] = email.toLowerCase().split('@', 1);
  const isName = plain === email.toLowerCase() || (local.length >= 4 && plain.startsWith(local));
  if (new Set(plain).size < MIN_DISTINCT || isName || /^(0?1234567890?|password|qwert|passwort)/.test(plain))
    throw invalidField(field, 'too_weak', 'is too easy to guess; use a few unrelated words');
}

/** Hashes passwords with argon2id on separate threads, a few at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Returns the hash to store, in PHC form. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#derive(password, salt, { memory: MEMORY_KIB, passes: PASSES, lanes: LANES });
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');
    return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${text(salt)}$${text(hash)}`;
  }

  /**
   * Returns whether a password matches a stored hash. Takes as long if there is none, so that timing reveals nothing.
   */
  async verify(stored: string | null, password: string): Promise<boolean> {
    const [, memory, passes, lanes, salt, hash] = PHC.exec(stored ?? '') ?? [];
    if (!salt || !hash) {
      await this.hash(password);
      return false;
    }
    const expected = Buffer.from(hash, 'base64');
    const cost = { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) };
    const derived = await this.#derive(password, Buffer.from(salt, 'base64'), cost, expected.length);
    return timingSafeEqual(derived, expected);
  }

  async #derive(
    password: string,
    nonce: Buffer,
    { memory, passes, lanes }: { memory: number; passes: number; lanes: number },
    tagLength = HASH_BYTES,
  ): Promise<Buffer> {
    // The same letters can be encoded in several ways, for example by another keyboard.
    const message = Buffer.from(password.normalize('NFKC'));
    const parameters = { message, nonce, memory, passes, parallelism: lanes, tagLength };
    await this.#turn();
    try {
      return await derive(parameters);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING)
        throw new ApiError('service_unavailable', 'Too many people are signing in. Try again in a moment.', {
          retry_after_seconds: 5,
        });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
  }
}

function derive(parameters: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
