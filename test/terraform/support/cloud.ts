import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Client } from '../../acceptance/support/client.ts';
import type { Operator } from '../../acceptance/support/operator.ts';
import { SCOPES } from '../../acceptance/support/roster.ts';
import { type Installation, start } from '../../acceptance/support/start.ts';
import { newSubject } from '../../acceptance/support/world.ts';
import { defer } from '../../support/cleanup.ts';
import { Engine } from './engine.ts';
import { startProvider } from './process.ts';

export interface Order {
  kind: string;
  status: string;
  amount_minor: number;
  vm_id: string;
}

/** A customer with a started provider. */
export interface Customer {
  engine: Engine;
  client: Client;
  operator: Operator;
  account: string;
  key: string;
  balance(): Promise<number>;
  /** Returns all charges and refunds, oldest first. */
  orders(): Promise<Order[]>;
}

export const startCloud = (t: TestContext) => start(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05' } });

/** Creates a customer with a provider that uses `url`, by default the service. */
export async function newCustomer(
  t: TestContext,
  { operator, client: program, baseUrl }: Installation,
  { provider, balance, url = baseUrl() }: { provider: string; balance: number; url?: string },
): Promise<Customer> {
  const { account, client } = await newSubject(operator, program, { balance });
  const key = await operator.key(account, SCOPES);
  const { call } = await startProvider(t, provider, { VAUBAN_URL: url, VAUBAN_API_KEY: key });
  return {
    engine: await Engine.start(call),
    client,
    operator,
    account,
    key,
    balance: async () => (await client.ok<{ available_minor: number }>('getWallet')).available_minor,
    orders: async () => (await client.ok<Order[]>('listOrders', { query: { limit: 100 } })).toReversed(),
  };
}

/** A fault of a request: it gets this reply, or its reply is lost. */
export type Fault = { status: number; code: string } | 'lost' | undefined;

/** Starts a proxy between the provider and the service that replies in its place or loses its replies. */
export async function faulty(
  t: TestContext,
  baseUrl: string,
  fault: (method: string, path: string) => Fault,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const wrong = fault(request.method!, request.url!);
    if (wrong && wrong !== 'lost') {
      response.writeHead(wrong.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: wrong.code, message: 'By the test.' } }));
      return;
    }
    const { authorization, 'content-type': type, 'idempotency-key': once } = request.headers;
    const answer = await fetch(baseUrl + request.url, {
      method: request.method!,
      headers: {
        authorization: authorization!,
        ...(type && { 'content-type': type }),
        ...(once && { 'idempotency-key': String(once) }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const body = await answer.text();
    if (wrong === 'lost') {
      response.destroy();
      return;
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
