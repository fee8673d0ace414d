import type { Page } from '../../../db/queries/page.ts';
import { systemListVms } from '../../../db/queries/vms/operator-vms.ts';
import { setSuspended } from '../../../domain/accounts/account-status.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Input, Shape } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { stopByOperator } from '../vms/stop-by-operator.ts';
import { AccountParams, AccountShape, accountFields } from './account-shape.ts';
import { changeStatus } from './change-status.ts';

/** VMs stopped per query of the list. */
const BATCH = 100;

const StoppedAccountShape = Shape(
  {
    ...accountFields,
    stopped: Type.Array(Id('vm'), { description: 'VMs that are being stopped' }),
    left: Type.Array(Id('vm'), { description: 'VMs that are busy or cannot be stopped now' }),
  },
  { $id: 'StoppedAccount', description: 'A suspended account and its stopped VMs' },
);

export const suspendAccount = endpoint({
  audience: 'operator',
  operation: 'suspendAccount',
  method: 'POST',
  path: '/accounts/{id}/suspend',
  tag: 'account',
  summary: 'Suspend an account',
  description:
    'Its keys can only read, and their open sessions end. Its VMs keep running unless they are stopped.',
  params: AccountParams,
  body: Input({
    stop_vms: Type.Optional(Type.Boolean({ description: 'Power off its running VMs' })),
  }),
  data: Type.Union([AccountShape, StoppedAccountShape]),
  errors: ['invalid_state'],
  async handle({ params: { id }, body: { stop_vms }, services }) {
    const account = await changeStatus(services, id, 'account suspended', (tx) => setSuspended(tx, id, true));
    return { data: { ...account, ...(stop_vms && (await stopAll(services, id))) } };
  },
});

/** Cuts the power of an account's running VMs; returns those that are busy or cannot be stopped now as `left`. */
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
