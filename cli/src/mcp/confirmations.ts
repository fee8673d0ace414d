import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { EXIT, Failure } from '../failure.ts';

/** Long enough to ask a person, too short to forget what was shown. */
export const LIFETIME_MS = 5 * 60_000;
/** The number of unused tokens that are kept; a new one replaces the oldest. */
const MOST = 64;

interface Waiting<Terms = unknown> {
  tool: string;
  input: string;
  terms: Terms;
  until: number;
}

/** Serializes a value to JSON in which the order of keys does not matter. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/**
 * Protects purchases and deletions: an action needs a token, which only a preview of the same arguments issues. A token
 * is valid for one call and a few minutes, and is known only to this process, so that no text from a guest can contain
 * one.
 */
export class Confirmations {
  readonly #now: () => number;
  readonly #waiting = new Map<string, Waiting>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Issues a token for a call of the tool with this input. The call is bound to `terms`, the terms that were shown. */
  issue(tool: string, input: object, terms: unknown): string {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MOST) this.#waiting.delete(oldest!);
    const token = `confirm_${randomBytes(24).toString('base64url')}`;
    this.#waiting.set(token, { tool, input: canonical(input), terms, until: this.#now() + LIFETIME_MS });
    return token;
  }

  /** Returns the terms that were shown. The token is used up even if the call fails. */
  redeem<Terms>(tool: string, input: object, token: string): Terms {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (!waiting) throw refused('This confirmation is unknown or has already been used.');
    if (waiting.until <= this.#now()) throw refused('This confirmation has expired.');
    if (waiting.tool !== tool || waiting.input !== canonical(input))
      throw refused('This confirmation is for other arguments.');
    return waiting.terms as Terms;
  }
}

/** Returns an error which says that nothing was done and that a new preview is needed. */
export const refused = (why: string) =>
  new Failure(EXIT.notConfirmed, why, 'Nothing was done. Request a new preview and show it to the user.');
