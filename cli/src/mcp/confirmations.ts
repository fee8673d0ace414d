import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { EXIT, Failure } from '../failure.ts';

/** Long enough for a person to be asked, too short for what was shown to be forgotten. */
export const LIFETIME_MS = 5 * 60_000;
/** Previews whose confirmation was not used yet; the oldest is forgotten for a new one. */
const MOST = 64;

interface Waiting<Terms = unknown> {
  tool: string;
  input: string;
  terms: Terms;
  until: number;
}

/** JSON in which the order of names does not matter. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/**
 * What stands between an assistant and a purchase or a loss: a token that only a preview gives, for exactly the arguments
 * that were previewed. It is good for one call and a few minutes, and is known to this process alone, so that nothing that
 * a guest has written can be one.
 */
export class Confirmations {
  readonly #now: () => number;
  readonly #waiting = new Map<string, Waiting>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A token for a call of the tool with this input; `terms` is what was shown, for the call to hold to. */
  issue(tool: string, input: object, terms: unknown): string {
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size >= MOST) this.#waiting.delete(oldest!);
    const token = `confirm_${randomBytes(24).toString('base64url')}`;
    this.#waiting.set(token, { tool, input: canonical(input), terms, until: this.#now() + LIFETIME_MS });
    return token;
  }

  /** The terms that were shown. Whatever comes of it, the token is used up. */
  redeem<Terms>(tool: string, input: object, token: string): Terms {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (!waiting) throw refused('This confirmation is not known, or it was used.');
    if (waiting.until <= this.#now()) throw refused('This confirmation has expired.');
    if (waiting.tool !== tool || waiting.input !== canonical(input))
      throw refused('This confirmation is for other arguments.');
    return waiting.terms as Terms;
  }
}

/** Nothing was done, and a new preview is the way on. */
export const refused = (why: string) =>
  new Failure(EXIT.notConfirmed, why, 'Nothing was done. Ask for a new preview, and show it to the user.');
