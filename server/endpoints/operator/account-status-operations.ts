import type { FastifyInstance } from 'fastify';
import type { Transaction } from '../../db/database.ts';
import { setLimits, setMayMail } from '../../db/queries/accounts.ts';
import { bumpNetworkOfAccount } from '../../db/queries/network.ts';
import { systemListVms } from '../../db/queries/operator-vms.ts';
import type { Page } from '../../db/queries/page.ts';
import { closeAccount, setSuspended } from '../../domain/accounts/account-status.ts';
import { LimitsSchema } from '../../domain/catalog/catalog-schema.ts';
import { Input, Nullable } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';
import { presentAccount } from './shared/shapes.ts';
import { stopByOperator } from './vm-operations.ts';

/** VMs stopped between two looks at the list. */
const BATCH = 100;

const Suspension = Input({ stop_vms: Type.Optional(Type.Boolean()) });
/** Quotas by name; null takes one back to the catalog's. */
const NewLimits = Input({
  limits: Type.Object(
    Object.fromEntries(
      Object.entries(LimitsSchema.properties).map(([name, schema]) => [
        name,
        Type.Optional(Nullable(schema)),
      ]),
    ),
    { minProperties: 1, additionalProperties: false },
  ),
});

export function registerAccountStatusOperations(app: FastifyInstance, services: OperatorServices): void {
  registerMail(app, services);
  /** Changes an account's status, and ends what its keys have open. */
  const change = async (
    accountId: string,
    what: string,
    work: (tx: Transaction) => Promise<{ keyIds: string[] }>,
  ) => {
    const { db, catalog, logger, signals } = services;
    const account = await db.transaction(async (tx) => {
      await requireAccount(tx, accountId);
      const { keyIds } = await work(tx);
      for (const id of keyIds) await signals.accessEnded(tx, id);
      return requireAccount(tx, accountId);
    });
    logger.info({ account_id: accountId }, what);
    return presentAccount(account, catalog);
  };

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/suspend',
    body: Suspension,
    async handle({ id, body: { stop_vms } }) {
      const account = await change(id, 'account suspended', (tx) => setSuspended(tx, id, true));
      return { data: { ...account, ...(stop_vms && (await stopAll(services, id))) } };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/resume',
    handle: async ({ id }) => ({
      data: await change(id, 'account resumed', (tx) => setSuspended(tx, id, false)),
    }),
  });

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/close',
    handle: async ({ id, services: { clock } }) => ({
      data: await change(id, 'account closed', (tx) => closeAccount(tx, clock, id)),
    }),
  });

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/limits',
    body: NewLimits,
    async handle({ id, body, services: { catalog, db, logger } }) {
      const account = await db.transaction(async (tx) => {
        const { limits } = await requireAccount(tx, id);
        const wanted = Object.entries({ ...limits, ...(body.limits as Record<string, number | null>) });
        const kept = wanted.filter((entry): entry is [string, number] => entry[1] !== null);
        await setLimits(tx, id, Object.fromEntries(kept));
        return requireAccount(tx, id);
      });
      logger.info({ account_id: id }, 'limits changed');
      return { data: presentAccount(account, catalog) };
    },
  });
}

/** Opens port 25 of others to the VMs of an account, or closes it. */
function registerMail(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/smtp',
    body: Input({ open: Type.Boolean() }),
    async handle({ id, body: { open }, services: { catalog, clock, db, logger } }) {
      const account = await db.transaction(async (tx) => {
        await requireAccount(tx, id);
        await setMayMail(tx, id, open);
        await bumpNetworkOfAccount(tx, id, clock.now());
        return requireAccount(tx, id);
      });
      logger.info({ account_id: id, open }, 'outbound mail of an account changed');
      return { data: presentAccount(account, catalog) };
    },
  });
}

/** Cuts the power of an account's running VMs; names those that are busy or cannot be stopped now. */
async function stopAll(services: OperatorServices, accountId: string) {
  const stopped: string[] = [];
  const left: string[] = [];
  let afterId: string | null = null;
  for (;;) {
    const page: Page = { limit: BATCH, afterId };
    const vms = await systemListVms(services.db, { accountId, status: 'running' }, page);
    for (const { id } of vms.slice(0, BATCH)) {
      try {
        await stopByOperator(services, id, true);
        stopped.push(id);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        left.push(id);
      }
    }
    if (vms.length <= BATCH) return { stopped, left };
    afterId = vms[BATCH - 1]!.id;
  }
}
