import type { FastifyInstance } from 'fastify';
import type { Queryable } from '../../db/database.ts';
import { type AccountOverviewRow, findAccount, listAccounts } from '../../db/queries/accounts.ts';
import { listKeys } from '../../db/queries/api-keys.ts';
import { requireOpen } from '../../domain/accounts/account-status.ts';
import { creditAccount, debitAccount } from '../../domain/accounts/book-payment.ts';
import { createAccount } from '../../domain/accounts/create-account.ts';
import { LimitsSchema } from '../../domain/catalog/catalog-schema.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { AmountFields, amountField, amountOf } from './shared/amount.ts';
import { Line, requireReadable } from './shared/input.ts';
import { Key, once } from './shared/once.ts';
import { presentAccount, presentKey, presentPayment, presentWallet } from './shared/shapes.ts';

const NewAccount = Input({
  name: Line,
  currency: Type.Optional(Type.String()),
  limits: Type.Optional(Type.Partial(LimitsSchema, { additionalProperties: false })),
});

const NewPayment = Input({
  ...AmountFields,
  method: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      'x-expected': 'lower-case letters, digits and underscores, 1 to 32, with a letter first',
    }),
  ),
  reference: Type.Optional(Line),
  key: Key,
});

/** The default: cash that was counted. */
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

  for (const { path, book, done } of [
    { path: '/accounts/:id/credits', book: creditAccount, done: 'account credited' },
    { path: '/accounts/:id/debits', book: debitAccount, done: 'account debited' },
  ]) {
    register(app, services, {
      method: 'POST',
      path,
      body: NewPayment,
      async handle({ id, body, services: { clock, db, logger } }) {
        const { method = DEFAULT_METHOD, reference } = body;
        if (reference !== undefined) requireReadable('reference', reference);
        const deed = { path: path.replace(':id', id), body };
        const data = await db.transaction((tx) =>
          once(tx, clock, deed, async () => {
            const { currency } = await requireAccount(tx, id);
            const amountMinor = amountOf(body, currency);
            await requireOpen(tx, id);
            const booking = { accountId: id, amountMinor, method, reference, field: amountField(body) };
            const { payment, wallet } = await book(tx, clock, booking);
            return { ...presentPayment(payment), wallet: presentWallet(wallet) };
          }),
        );
        logger.info({ account_id: id, payment_id: data.id, amount_minor: data.amount_minor }, done);
        return { data };
      },
    });
  }
}
