import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../db/database.ts';
import { type AccountOverviewRow, findAccount, listAccounts } from '../db/queries/accounts.ts';
import { listKeys } from '../db/queries/api-keys.ts';
import { createAccount } from '../domain/accounts/create-account.ts';
import { amountToMinor, creditAccount } from '../domain/accounts/credit-account.ts';
import { LimitsSchema } from '../domain/catalog/catalog-schema.ts';
import { pageFrom, paginated } from '../endpoints/page.ts';
import { Input, PageQuery } from '../endpoints/schemas.ts';
import { invalidField, notFound } from '../platform/errors.ts';
import { Type } from '../platform/schema.ts';
import { Line, requireReadable } from './input.ts';
import { type OperatorServices, register } from './operation.ts';
import { presentAccount, presentKey, presentPayment, presentWallet } from './shapes.ts';

const NewAccount = Input({
  name: Line,
  currency: Type.Optional(Type.String()),
  limits: Type.Optional(Type.Partial(LimitsSchema, { additionalProperties: false })),
});

const NewCredit = Input({
  /** Major units ("49.90"), or… */
  amount: Type.Optional(Type.String()),
  /** …minor units (4990). */
  amount_minor: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  method: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' })),
  reference: Type.Optional(Line),
});

/** How money comes when nobody says: somebody has counted it. */
const DEFAULT_METHOD = 'manual';

/** The account, or `not_found`. */
export async function requireAccount(db: Queryable, id: string): Promise<AccountOverviewRow> {
  const account = await findAccount(db, id);
  if (!account) throw notFound();
  return account;
}

export function registerAccountOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/accounts',
    body: NewAccount,
    async handle({ body, services: { catalog, clock, db, logger } }) {
      const { name, currency = catalog.currency, limits = {} } = body;
      requireReadable('name', name);
      if (currency !== catalog.currency) {
        throw invalidField('currency', 'not_allowed', `must be ${catalog.currency}, the catalog's currency`);
      }
      const account = await db.transaction(async (tx) => {
        const { id } = await createAccount(tx, clock, { name, currency, limits });
        return requireAccount(tx, id);
      });
      logger.info({ account_id: account.id }, 'account created');
      return { data: presentAccount(account, catalog) };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/accounts',
    query: Input(PageQuery),
    async handle({ query, services: { catalog, db } }) {
      const page = pageFrom(query);
      return paginated(await listAccounts(db, page), page, (account) => presentAccount(account, catalog));
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/accounts/:id',
    async handle({ id, services: { catalog, clock, db } }) {
      const account = await requireAccount(db, id);
      const keys = await listKeys(db, id);
      const now = clock.now();
      return { data: { ...presentAccount(account, catalog), keys: keys.map((key) => presentKey(key, now)) } };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/credits',
    body: NewCredit,
    async handle({ id, body, services: { clock, db, logger } }) {
      const { method = DEFAULT_METHOD, reference } = body;
      if (reference !== undefined) requireReadable('reference', reference);
      const { payment, wallet } = await db.transaction(async (tx) => {
        const { currency } = await requireAccount(tx, id);
        const amountMinor = creditAmount(body, currency);
        return creditAccount(tx, clock, { accountId: id, amountMinor, method, reference });
      });
      const amount_minor = payment.amount_minor.toString();
      logger.info({ account_id: id, payment_id: payment.id, amount_minor }, 'account credited');
      return { data: { ...presentPayment(payment), wallet: presentWallet(wallet) } };
    },
  });
}

function creditAmount(
  { amount, amount_minor }: { amount?: string; amount_minor?: number },
  currency: string,
) {
  if (amount !== undefined && amount_minor === undefined) return amountToMinor(amount, currency);
  if (amount_minor !== undefined && amount === undefined) return BigInt(amount_minor);
  throw invalidField('amount', 'one_of', 'give either amount or amount_minor');
}
