import type { FastifyInstance } from 'fastify';
import { listEvents } from '../../db/queries/events.ts';
import { type SystemVmFilter, systemFindVmView, systemListVms } from '../../db/queries/operator-vms.ts';
import { listSnapshots } from '../../db/queries/snapshots.ts';
import type { VmView } from '../../db/queries/vms.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { requireAllowed, VM_STATUSES } from '../../domain/vms/states.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Enum, Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { notFound } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { presentSnapshot } from '../customer/snapshots/snapshot-shape.ts';
import { presentBilling } from '../customer/vms/vm-shape.ts';
import { startByOperator } from './vms/start-by-operator.ts';

/** Events shown with a VM: the last few days of an ordinary one. */
const EVENTS_SHOWN = 10;
/** More than the catalog of any host lets a VM have. */
const SNAPSHOTS_SHOWN = 100;
/** The default of the API's own stop. */
const STOP_TIMEOUT_SECONDS = 60;

const VmQuery = Input({
  ...PageQuery,
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  status: Type.Optional(Enum(VM_STATUSES)),
});
const Stop = Input({ force: Type.Optional(Type.Boolean()) });

function presentVm(vm: VmView) {
  return {
    id: vm.id,
    account_id: vm.account_id,
    hostname: vm.hostname,
    status: vm.status,
    plan: vm.plan,
    vcpu: vm.vcpu,
    ram_mb: vm.ram_mb,
    disk_gb: vm.disk_gb,
    template: vm.template,
    region: vm.region,
    zone: vm.zone,
    ipv4: vm.ipv4,
    ipv6: vm.ipv6,
    price_monthly_minor: toJsonInteger(vm.price_monthly_minor),
    ...presentBilling(vm),
    currency: vm.currency,
    paid_until: vm.billing_period_end_at,
    unpaid_since: vm.unpaid_since,
    active_job: vm.active_job && { id: vm.active_job.id, kind: vm.active_job.kind },
    created_at: vm.created_at,
  };
}

export function registerVmOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/vms',
    query: VmQuery,
    async handle({ query, services: { db } }) {
      const page = pageFrom(query);
      const filter: SystemVmFilter = { accountId: query.account, status: query.status };
      return paginated(await systemListVms(db, filter, page), page, presentVm);
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/vms/:id',
    async handle({ id, services: { db } }) {
      const vm = await systemFindVmView(db, id);
      if (!vm) throw notFound();
      const events = await listEvents(db, id, {}, { limit: EVENTS_SHOWN, afterId: null });
      const snapshots = await listSnapshots(db, id, { limit: SNAPSHOTS_SHOWN, afterId: null });
      return {
        data: {
          ...presentVm(vm),
          snapshots: snapshots.slice(0, SNAPSHOTS_SHOWN).map(presentSnapshot),
          events: events
            .slice(0, EVENTS_SHOWN)
            .map(({ type, level, message, created_at }) => ({ type, level, message, created_at })),
        },
      };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/vms/:id/stop',
    body: Stop,
    handle: async ({ id, body: { force = false } }) => ({ data: await stopByOperator(services, id, force) }),
  });
}

/**
 * Starts the job that stops a VM, or cuts its power, in the operator's name: the customer reads so in the events.
 * Refused as for the customer where the VM's lock or state does not allow it.
 */
export async function stopByOperator(services: OperatorServices, id: string, force: boolean) {
  const kind = force ? 'force_stop' : 'stop';
  const { job } = await startByOperator(services, id, kind, async (_tx, vm) => {
    // Of a job that runs already its owner decides: cutting it short settles its money as well.
    requireAllowed({ ...vm, active_job_kind: vm.active_job_kind && 'delete' }, kind);
    return { input: force ? {} : { timeout_seconds: STOP_TIMEOUT_SECONDS } };
  });
  return job;
}
