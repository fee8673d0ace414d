import { promoReturnedBy } from '../../../db/queries/money/promo-returns.ts';
import { max, toJsonInteger } from '../../../domain/billing/money.ts';
import { deleteVm as giveUpVm } from '../../../domain/vms/delete-vm.ts';
import { withJob } from '../../../domain/vms/start-job.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Id, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentRefundPromo, refundPromoFields } from '../shared/promo-fields.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { loadVmForChange } from './load-vm.ts';
import { exampleVm, presentVm, VmShape } from './vm-shape.ts';

export const deleteVm = endpoint({
  audience: 'customer',
  operation: 'deleteVm',
  method: 'DELETE',
  path: '/v1/vm/{id}',
  money: true,
  scope: 'vm:destroy',
  tag: 'vm',
  summary: 'Delete a VM',
  description:
    'All its data is lost. The unused part of the paid period is refunded to the wallet at once, minus usage that has not been charged yet; `delete-preview` shows the amount beforehand. A running job is canceled.',
  idempotent: true,
  params: VmParams,
  data: Shape(
    {
      vm: VmShape,
      job: JobShape,
      refund: Shape(
        {
          amount_minor: Type.Integer({
            minimum: 0,
            description:
              'Refunded amount in minor units of `currency`; with hourly billing, released from the deposit',
          }),
          ...refundPromoFields,
          charged_minor: Count('Charged to the wallet if the usage exceeds the refund'),
          written_off_minor: Count('Always 0: the amount that the wallet does not cover is in `debt_minor`'),
          debt_minor: Count('The part that the wallet did not cover, which the account owes'),
          currency: Currency,
          order_id: Nullable(Id('ord')),
        },
        { $id: 'Refund', description: 'Refund of a deletion' },
      ),
    },
    { $id: 'DeletingVm', description: 'A VM, the job that deletes it and the refund' },
  ),
  errors: ['vm_locked', 'compute_unavailable'],
  example: {
    vm: { ...exampleVm, status: 'deleting', active_job: { ...exampleJob, kind: 'delete' } },
    job: { ...exampleJob, kind: 'delete' },
    refund: {
      amount_minor: 386,
      promo_minor: 0,
      promo_expires_at: null,
      charged_minor: 0,
      written_off_minor: 0,
      debt_minor: 0,
      currency: 'EUR',
      order_id: 'ord_01ke3z6p1r5t7y9u2i4o6p8a0s',
    },
  },
  load: loadVmForChange,
  async handle({ resource: vm, db, services, caller, now }) {
    const { job, order, debt_minor } = await giveUpVm({ db, services, caller, now }, vm);
    const total = order?.amount_minor ?? 0n;
    const promo = order && total < 0n ? await promoReturnedBy(db, order.id) : undefined;
    return {
      data: {
        vm: presentVm(withJob(vm, job, now)),
        job: presentJob(job),
        refund: {
          amount_minor: toJsonInteger(max(-total, 0n)),
          ...presentRefundPromo(promo),
          charged_minor: toJsonInteger(max(total, 0n) - debt_minor),
          written_off_minor: 0,
          debt_minor: toJsonInteger(debt_minor),
          currency: vm.currency,
          order_id: order?.id ?? null,
        },
      },
    };
  },
});
