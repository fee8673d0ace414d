import { debtWarnedAt } from '../../../db/queries/money/debt-suspensions.ts';
import { claimsOf } from '../../../db/queries/money/top-up-reversals.ts';
import { vmDebtsOf } from '../../../db/queries/money/vm-debts.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { debtSuspendsAt } from '../../../domain/billing/debt-suspension.ts';
import { unpaidDebt } from '../../../domain/billing/ledger.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Enum, Id, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

/** More unsettled debts than an account usually has. */
const MOST = 100;

const ClaimShape = Shape(
  {
    id: Id('rvs'),
    kind: Enum(['refund', 'dispute'], {
      description: 'Cause: a refund by the provider or a dispute by the payer',
    }),
    amount_minor: Minor('Amount owed'),
    top_up_id: Id('top'),
    reference: Type.String({ description: 'Reference of the payment', examples: ['TU-7K3M-9QXD'] }),
    created_at: Timestamp('Time of the reversal'),
  },
  { $id: 'Claim', description: 'A reversed payment that the wallet did not cover' },
);

const VmDebtShape = Shape(
  {
    order_id: Id('ord'),
    vm_id: Id('vm'),
    hostname: Type.String({ description: 'Of the VM', examples: ['web-1'] }),
    amount_minor: Minor('Amount owed'),
    created_at: Timestamp('When the VM was deleted'),
  },
  { $id: 'VmDebt', description: 'Usage of a deleted VM that the wallet did not cover' },
);

export const getDebt = endpoint({
  audience: 'panel',
  operation: 'getDebt',
  method: 'GET',
  path: '/debt',
  access: 'viewer',
  tag: 'money',
  summary: 'Get the debt of the account',
  description: 'While there is a debt, nothing can be bought. The next top-ups pay it first.',
  data: Shape(
    {
      currency: Currency,
      claimed_minor: Minor('Total debt'),
      shortfall_minor: Minor('Top-up that settles the whole debt'),
      suspends_at: Nullable(
        Timestamp(
          'When the VMs will be switched off unless the debt is paid; null if the debt has no such consequence',
        ),
      ),
      claims: Type.Array(ClaimShape, {
        description: `Reversed payments, oldest first, at most ${MOST}`,
      }),
      deleted_vms: Type.Array(VmDebtShape, { description: `Oldest first, at most ${MOST}` }),
    },
    { $id: 'Debt', description: 'Debt of an account' },
  ),
  errors: [],
  async handle({ caller: { accountId }, db, services: { catalog } }) {
    const wallet = await lookUpWallet(db, accountId);
    const warnedAt = await debtWarnedAt(db, accountId);
    const { currency, claimed_minor } = wallet;
    const [claims, deleted] = [await claimsOf(db, accountId, MOST), await vmDebtsOf(db, accountId, MOST)];
    return {
      data: {
        currency,
        claimed_minor: toJsonInteger(claimed_minor),
        // Promotional credit does not pay debts.
        shortfall_minor: toJsonInteger(unpaidDebt(wallet)),
        suspends_at: debtSuspendsAt(catalog, warnedAt),
        claims: claims.map((claim) => ({ ...claim, amount_minor: toJsonInteger(claim.amount_minor) })),
        deleted_vms: deleted.map((debt) => ({ ...debt, amount_minor: toJsonInteger(debt.amount_minor) })),
      },
    };
  },
});
