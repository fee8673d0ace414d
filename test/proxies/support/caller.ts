import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { Customer, type Reply, type Request, type Target } from '../../chaos/support/customer.ts';
import { defer } from '../../support/cleanup.ts';
import type { RunningProxy } from './proxy.ts';

/** The caller's address, and the certificate that the caller trusts. */
export interface Route {
  ca: string;
  localAddress: string;
  lookup: LookupFunction;
}

/** Returns the route to `proxy` for a caller at `localAddress`, who resolves its name and trusts its certificate. */
export function routeTo({ address, certificate }: RunningProxy, localAddress: string): Route {
  const lookup: LookupFunction = (_name, { all }, done) =>
    all ? done(null, [{ address, family: 4 }]) : done(null, address, 4);
  return { ca: certificate, localAddress, lookup };
}

export class ProxiedCustomer extends Customer {
  readonly #agent: Agent;

  constructor(
    t: TestContext,
    target: Target,
    key: { accountId: string; key: string; id: string },
    route: Route,
  ) {
    super(target, key.accountId, key);
    this.#agent = new Agent({ ...route, keepAlive: true });
    defer(t, () => this.#agent.destroy());
  }

  /** Returns the reply as soon as it begins; its body can be read while it arrives. */
  async begin(
    method: string,
    path: string,
    { body, idempotencyKey, headers }: Request = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      authorization: `Bearer ${this.key}`,
      ...(text !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...headers,
    };
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(this.target.baseUrl + path, {
        agent: this.#agent,
        method,
        headers: sent,
        signal,
      });
      outgoing.on('error', reject).on('response', resolve).end(text);
    });
    const content = method === 'HEAD' ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
    const pairs = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return new Response(content, { status: incoming.statusCode, headers: pairs });
  }

  override async send(method: string, path: string, request: Request = {}): Promise<Reply> {
    const response = await this.begin(method, path, request);
    const text = await response.text();
    const json =
      /json/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined;
    return { status: response.status, headers: response.headers, text, json };
  }
}
