import type { ComputeDriver } from '../../../compute/driver.ts';
import type { Database } from '../../../db/database.ts';
import { findVm } from '../../../db/queries/vms/vms.ts';
import { ApiError } from '../../../platform/errors.ts';

/**
 * Returns whether anything inside the guest answers. Call it before the transaction and pass the result to
 * {@link requireAgent}.
 */
export async function agentAnswers(request: {
  caller: { accountId: string };
  params: { id: string };
  services: { db: Database; compute: ComputeDriver };
}): Promise<boolean> {
  const { caller, params, services } = request;
  const vm = await findVm(services.db, caller.accountId, params.id);
  if (vm?.status !== 'running') return false;
  try {
    return (await services.compute.inspect(vm.id))?.agent ?? false;
  } catch {
    return false;
  }
}

/** Throws `guest_agent_unavailable` if nothing inside the guest answered. */
export function requireAgent(answers: boolean): void {
  if (answers) return;
  throw new ApiError(
    'guest_agent_unavailable',
    'Nothing answers inside the guest: it is still booting, or it has neither a guest agent nor an SSH server on port 22.',
    {
      retry_after_seconds: 10,
    },
  );
}
