import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RealmRules } from '../../access/realms.ts';
import type { Config } from '../../config/config.ts';
import type { Transaction } from '../../db/database.ts';
import { clientNetwork, normalizeIp } from '../../platform/cidr.ts';
import { baseUrl } from '../base-url.ts';
import { deviceTokens, dropCookie, keepCookie, keepDeviceCookie } from './cookies.ts';

/** Characters kept of a browser's user agent: enough for its owner to recognise it. */
const MAX_USER_AGENT = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** The browser that sent a request: its address, its user agent, and its cookies. */
export class Browser {
  readonly ip: string;
  /** Counted as one place: an IPv4 address, or an IPv6 /64. */
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

  /** Origin as shown in its address bar: scheme, name and port. */
  get origin(): URL {
    return new URL(new URL(baseUrl(this.#config, this.#request)).origin);
  }

  /** Sets the session cookie once the transaction that creates the session has committed. */
  keepSession(tx: Transaction, token: string): void {
    const cookie = keepCookie(this.#realm, this.#config, this.#request, token);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }

  /** Returns the secrets that may identify a known device. Not validated: the caller can send anything. */
  deviceTokens(): string[] {
    return deviceTokens(this.#realm, this.#config, this.#request);
  }

  /** Sets the device cookie once the transaction that makes the device known has committed. */
  keepDevice(tx: Transaction, tokens: readonly string[]): void {
    const cookie = keepDeviceCookie(this.#realm, this.#config, this.#request, tokens);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }

  /** Removes the session cookie once the transaction that ends the session has committed. */
  dropSession(tx: Transaction): void {
    const cookie = dropCookie(this.#realm, this.#config, this.#request);
    tx.afterCommit(() => void this.#reply.header('set-cookie', cookie));
  }
}
