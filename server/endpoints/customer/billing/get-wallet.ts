import { billedVms } from '../../../db/queries/money/billed-vms.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { catalogOf } from '../../../domain/billing/buyers.ts';
import { spendableMinor } from '../../../domain/billing/ledger.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { burnRateMonthly, runwayDays } from '../../../domain/billing/overview.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Currency, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { debtField, presentPromo, promoFields } from '../shared/promo-fields.ts';

export const getWallet = endpoint({
  audience: 'customer',
  operation: 'getWallet',
  method: 'GET',
  path: '/v1/billing/wallet',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'Get the wallet',
  description:
    '`balance_minor` is the total, `held_minor` is reserved for VMs that are being created or changed, and `available_minor` can be spent.',
  data: Shape(
    {
      currency: Currency,
      balance_minor: Minor('Available plus held'),
      held_minor: Minor('Reserved for orders in progress'),
      available_minor: Minor('Spendable amount, including promotional credit'),
      ...promoFields,
      ...debtField,
      burn_rate_monthly_minor: Minor(
        'Monthly cost of the VMs that renew, at the prices of their next renewals',
      ),
      runway_days: Nullable(
        Type.Integer({
          minimum: 0,
          description: 'Days that the wallet will last, with 30 days per month; null if no VM renews',
        }),
      ),
      updated_at: Timestamp('Time of the last transaction'),
    },
    { $id: 'Wallet', description: 'Prepaid money of an account' },
  ),
  errors: [],
  example: {
    currency: 'EUR',
    balance_minor: 10000,
    held_minor: 399,
    available_minor: 9601,
    promo_minor: 500,
    promo_expires_at: '2026-03-01T00:00:00.000Z',
    debt_minor: 0,
    burn_rate_monthly_minor: 1698,
    runway_days: 169,
    updated_at: '2026-01-05T09:30:00.000Z',
  },
  async handle({ caller, db, services, now }) {
    const [wallet, vms, catalog] = await Promise.all([
      lookUpWallet(db, caller.accountId),
      billedVms(db, caller.accountId),
      catalogOf(db, services.catalog, caller.accountId),
    ]);
    const burn = burnRateMonthly(vms, catalog, now);
    const runway = runwayDays(spendableMinor(wallet), burn);
    return {
      data: {
        currency: wallet.currency,
        balance_minor: toJsonInteger(wallet.available_minor + wallet.held_minor),
        held_minor: toJsonInteger(wallet.held_minor),
        available_minor: toJsonInteger(wallet.available_minor),
        ...presentPromo(wallet),
        debt_minor: toJsonInteger(wallet.claimed_minor),
        burn_rate_monthly_minor: toJsonInteger(burn),
        runway_days: runway === null ? null : toJsonInteger(runway),
        updated_at: wallet.updated_at,
      },
    };
  },
});
