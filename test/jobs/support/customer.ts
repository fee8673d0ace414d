import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { ALL_SCOPES } from '../../../server/access/scopes.ts';
import { lookUpWallet, type WalletRow } from '../../../server/db/queries/money/wallets.ts';
import { creditAccount, debitAccount } from '../../../server/domain/accounts/book-payment.ts';
import { createAccount } from '../../../server/domain/accounts/create-account.ts';
import { createKey } from '../../../server/domain/accounts/keys.ts';
import { grantPromo } from '../../../server/domain/billing/promo-credits.ts';
import type { Limits } from '../../../server/domain/catalog/catalog-schema.ts';
import type { Services } from '../../../server/start/services.ts';
import type { Installation } from './installation.ts';

/** A reply of the API; `data` if it succeeded, `error` if it was refused. */
export interface Reply {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  data: any;
  error: { code: string; message: string; details?: Record<string, unknown> } | undefined;
  replayed: boolean;
}

export interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
}

/** An account with a key that has all permissions. */
export class Customer {
  readonly accountId: string;
  readonly #http: FastifyInstance;
  readonly #services: Services;
  readonly #key: string;

  constructor({ http, services }: Installation, accountId: string, key: string) {
    this.#http = http;
    this.#services = services;
    this.accountId = accountId;
    this.#key = key;
  }

  /**
   * Calls the API with a new `idempotencyKey` unless one is given. The key is always sent, even if the operation needs
   * none.
   */
  async call({ method, path, body }: Call, idempotencyKey: string = randomUUID()): Promise<Reply> {
    const reply = await this.#http.inject({
      method,
      url: path,
      headers: {
        authorization: `Bearer ${this.#key}`,
        'idempotency-key': idempotencyKey,
        ...(body && { 'content-type': 'application/json' }),
      },
      payload: body && JSON.stringify(body),
    });
    const { data, error } = reply.json();
    const replayed = reply.headers['idempotent-replayed'] === 'true';
    return { status: reply.statusCode, text: reply.body, data, error, replayed };
  }

  /** Reads a path in a representation other than JSON: returns status, headers and bytes. */
  async read(path: string, accept: string) {
    const headers = { authorization: `Bearer ${this.#key}`, accept };
    const {
      statusCode,
      headers: sent,
      rawPayload,
    } = await this.#http.inject({ method: 'GET', url: path, headers });
    return { status: statusCode, headers: sent, bytes: rawPayload };
  }

  /** Sends a call that must succeed and returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: see Reply
  async must(call: Call): Promise<any> {
    const { status, text, data } = await this.call(call);
    if (status !== 200) throw new Error(`${call.method} ${call.path} answered ${status}: ${text}`);
    return data;
  }

  /** Pays money in. Throws if the account already has a payment with that reference. */
  async topUp(amountMinor: bigint, reference?: string): Promise<void> {
    const { db, clock } = this.#services;
    const credit = { accountId: this.accountId, amountMinor, method: 'test', reference };
    await db.transaction((tx) => creditAccount(tx, clock, credit));
  }

  async payOut(amountMinor: bigint): Promise<void> {
    const { db, clock } = this.#services;
    const debit = { accountId: this.accountId, amountMinor, method: 'test' };
    await db.transaction((tx) => debitAccount(tx, clock, debit));
  }

  async grantPromo(amountMinor: bigint, until: Date): Promise<void> {
    const { db, clock } = this.#services;
    const why = { field: 'amount', reason: 'test', actor: 'test' } as const;
    await db.transaction((tx) =>
      grantPromo(tx, clock, { accountId: this.accountId, amountMinor, until, ...why }),
    );
  }

  wallet(): Promise<WalletRow> {
    return lookUpWallet(this.#services.db, this.accountId);
  }
}

/** Opens an account whose wallet holds `amountMinor`, with its own quotas if given. */
export async function openCustomer(
  installation: Installation,
  amountMinor: bigint,
  limits: Partial<Limits> = {},
): Promise<Customer> {
  const { db, clock, catalog } = installation.services;
  const account = { name: 'Test', currency: catalog.currency, limits };
  const { id } = await db.transaction((tx) => createAccount(tx, clock, account));
  const customer = await keyFor(installation, id);
  if (amountMinor > 0n) await customer.topUp(amountMinor);
  return customer;
}

/** Returns the owner of an account, with a new key. */
export async function keyFor(installation: Installation, accountId: string): Promise<Customer> {
  const { db, clock } = installation.services;
  const wish = { accountId, name: 'test', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] };
  const { key } = await db.transaction((tx) => createKey(tx, clock, wish));
  return new Customer(installation, accountId, key);
}
