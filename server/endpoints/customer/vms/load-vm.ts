import type { Queryable } from '../../../db/database.ts';
import { findVm, lockVm, type VmView } from '../../../db/queries/vms/vms.ts';
import type { Caller } from '../../../http/endpoint.ts';
import { notFound } from '../../../platform/errors.ts';

interface Request {
  caller: Caller;
  params: { id: string };
  db: Queryable;
}

/** Returns the VM in the path if it belongs to the caller. */
export async function loadVm({ caller, params, db }: Request): Promise<VmView> {
  const vm = await findVm(db, caller.accountId, params.id);
  if (!vm) throw notFound();
  return vm;
}

/** Returns the same VM, locked until the transaction ends. For every operation that changes it or starts a job. */
export async function loadVmForChange({ caller, params, db }: Request): Promise<VmView> {
  const vm = await lockVm(db, caller.accountId, params.id);
  if (!vm) throw notFound();
  return vm;
}
