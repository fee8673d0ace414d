import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RealmRules } from '../access/realms.ts';
import type { Config } from '../config/config.ts';
import type { Transaction } from '../db/database.ts';
import { baseUrl } from '../http/base-url.ts';
import { clientNetwork, normalizeIp } from '../platform/cidr.ts';
import { deviceTokens, dropCookie, keepCookie, keepDeviceCookie } from './cookies.ts';

/** Characters kept of what a browser says it is: enough to be recognised by its owner. */
const MAX_USER_AGENT = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** The browser at the other end: where it is, what it says it is, and the cookie that it keeps. */
export class Browser {
  readonly ip: string;
  /** What is counted as one place: an IPv4 address, or an IPv6 /64. */
  readonly network: string;
  readonly userAgent: string;
  readonly #realm: RealmRules;
  readonly #config: Config;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(realm: RealmRules, config: Config, request: FastifyRequest, reply: FastifyReply) {
    this.#realm = realm;
    this.#config = config;
    this.#request = request;
    this.#reply = reply;
    this.ip = normalizeIp(request.ip);
    this.network = clientNetwork(this.ip);
    const said = request.headers['user-agent'] ?? '';
    this.userAgent = said.slice(0, MAX_USER_AGENT).replace(CONTROL, '').toWellFormed();
  }

  /** What stands in its address bar, as far as the service itself: scheme, name and port. */
  get origin(): URL {
    return new URL(new URL(baseUrl(this.#config, this.#request)).origin);
  }

  /** Leaves it the secret of a session, once the transaction that makes it has committed. */
  keepSession(tx: Transaction, token: string): void {
    const cookie = keepCookie(this.#realm, this.#config, this.#request, token);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }

  /** The secrets by which the browser may be a known device; of any form, as whoever calls writes them. */
  deviceTokens(): string[] {
    return deviceTokens(this.#realm, this.#config, this.#request);
  }

  /** Leaves it the secrets of a known device, once the transaction that makes it one has committed. */
  keepDevice(tx: Transaction, tokens: readonly string[]): void {
    const cookie = keepDeviceCookie(this.#realm, this.#config, this.#request, tokens);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }

  /** Takes the secret away, once the transaction that ends the session has committed. */
  dropSession(tx: Transaction): void {
    const cookie = dropCookie(this.#realm, this.#config, this.#request);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }
}
