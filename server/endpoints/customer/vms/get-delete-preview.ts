import { withMeter } from '../../../db/queries/money/meters.ts';
import { promoToReturn } from '../../../db/queries/money/promo-returns.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { dataLost, type LostThing } from '../../../db/queries/vms/data-lost.ts';
import { uncollectible } from '../../../domain/billing/ledger.ts';
import { max, toJsonInteger } from '../../../domain/billing/money.ts';
import { secondsBetween } from '../../../domain/billing/period.ts';
import { usageMinor } from '../../../domain/billing/usage.ts';
import { blockerOf } from '../../../domain/vms/blockers.ts';
import { priceOfDeletion } from '../../../domain/vms/delete-vm.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Enum, Nullable, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentPreviewPromo, previewPromoFields } from '../shared/promo-fields.ts';
import { BlockerShape } from './blocker-shape.ts';
import { loadVm } from './load-vm.ts';

export const getDeletePreview = endpoint({
  audience: 'customer',
  operation: 'getDeletePreview',
  method: 'GET',
  path: '/v1/vm/{id}/delete-preview',
  money: true,
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Preview the deletion of a VM',
  description:
    'Returns the refund of a deletion at this moment and the data that would be lost. Changes nothing.',
  params: VmParams,
  data: Shape(
    {
      refund_minor: Count(
        'Refund in minor units of `currency`; with hourly billing, released from the deposit',
      ),
      ...previewPromoFields,
      usage_minor: Count('Usage of the VM that has not been charged yet, deducted from the refund'),
      charged_minor: Count('Charged to the wallet if the usage exceeds the refund'),
      written_off_minor: Count('Always 0: the amount that the wallet does not cover is in `debt_minor`'),
      debt_minor: Count('The part that the wallet does not cover, which the account will owe'),
      currency: Currency,
      unused_seconds: Count('Rest of the paid period'),
      data_lost: Type.Array(
        Shape(
          {
            type: Enum(['volume', 'snapshot', 'ip', 'port_forward'], {
              $id: 'LostDataType',
            }),
            id: Type.String({ description: 'Identifier; the address itself for an `ip`' }),
            name: Type.String(),
            size_gb: Nullable(Count('Size in GB')),
          },
          { $id: 'LostData', description: 'Data that is deleted with a VM' },
        ),
      ),
      deletable: Type.Boolean(),
      blockers: Type.Array(BlockerShape),
      as_of: Timestamp('Time of the calculation'),
    },
    { $id: 'DeletePreview' },
  ),
  errors: [],
  example: {
    refund_minor: 386,
    refund_promo_minor: 0,
    refund_promo_expires_at: null,
    usage_minor: 0,
    charged_minor: 0,
    written_off_minor: 0,
    debt_minor: 0,
    currency: 'EUR',
    unused_seconds: 2592000,
    data_lost: [{ type: 'ip', id: '100.64.0.2', name: '100.64.0.2', size_gb: null }],
    deletable: true,
    blockers: [],
    as_of: '2026-01-06T09:30:00.000Z',
  },
  load: loadVm,
  async handle({ resource: vm, db, services, now }) {
    const blocker = blockerOf(() => requireAllowed(vm, 'delete'));
    const {
      total_minor: total,
      lines,
      usage,
    } = priceOfDeletion(services.catalog, await withMeter(db, vm), now);
    const debt = uncollectible(await lookUpWallet(db, vm.account_id), total);
    const promo = total < 0n ? await promoToReturn(db, vm.id, lines) : undefined;
    const lost: LostThing[] = await dataLost(db, vm);
    return {
      data: {
        refund_minor: toJsonInteger(max(-total, 0n)),
        ...presentPreviewPromo(promo),
        usage_minor: toJsonInteger(usageMinor(usage)),
        charged_minor: toJsonInteger(max(total, 0n) - debt),
        written_off_minor: 0,
        debt_minor: toJsonInteger(debt),
        currency: vm.currency,
        unused_seconds: vm.provisioned_at ? secondsBetween(now, vm.billing_period_end_at) : 0,
        data_lost: lost,
        deletable: blocker === null,
        blockers: blocker ? [blocker] : [],
        as_of: now,
      },
    };
  },
});
