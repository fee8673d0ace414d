import type { FastifyInstance } from 'fastify';
import { countOtherOpsKeys } from '../../db/queries/vm-ops-keys.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';

/** The SSH key that every guest authorizes. */
export function registerOpsKeyOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/ops-key',
    handle: async () => ({ data: await presentOpsKey(services) }),
  });

  register(app, services, {
    method: 'POST',
    path: '/ops-key/rotate',
    async handle() {
      await services.opsKeys.rotate();
      const data = await presentOpsKey(services);
      services.logger.info(data, 'ops key rotated');
      return { data };
    },
  });
}

/** `vms_to_replace` counts those whose guests have a previous key only, or still. */
async function presentOpsKey({ db, opsKeys }: OperatorServices) {
  const [current, ...previous] = (await opsKeys.all()).map(({ fingerprint }) => fingerprint);
  return { fingerprint: current!, previous, vms_to_replace: await countOtherOpsKeys(db, current!) };
}
