import { promoReturnedBy } from '../../../db/queries/promo-returns.ts';
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
  operation: 'deleteVm',
  method: 'DELETE',
  path: '/v1/vm/{id}',
  money: true,
  scope: 'vm:destroy',
  tag: 'vm',
  summary: 'Delete a VM',
  description:
    'Its data is lost. The unused rest of the paid period goes back to the wallet at once, less what the VM has used since it was charged for that; `delete-preview` shows it beforehand. A job that is running is canceled.',
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
              'Given back, in minor units of `currency`; released from the deposit where the VM is billed by the hour',
          }),
          ...refundPromoFields,
          charged_minor: Count('Taken from the wallet, where what was used is more than what is given back'),
          written_off_minor: Count('Always 0: what the wallet does not cover is `debt_minor`'),
          debt_minor: Count('What the wallet did not cover of that, which the account owes'),
          currency: Currency,
          order_id: Nullable(Id('ord')),
        },
        { $id: 'Refund', description: 'What a deletion gave back' },
      ),
    },
    { $id: 'DeletingVm', description: 'A VM, the job that deletes it and what was given back' },
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
