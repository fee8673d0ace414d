import { countOtherOpsKeys } from '../../../db/queries/vms/vm-ops-keys.ts';
import { Count, Shape } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { Type } from '../../../platform/schema.ts';

export const OpsKeyShape = Shape(
  {
    fingerprint: Type.String(),
    previous: Type.Array(Type.String(), { description: 'Fingerprints of previous keys, newest first' }),
    vms_to_replace: Count('Number of VMs whose guests still have a previous key'),
  },
  { $id: 'OpsKey', description: 'The SSH key that every guest authorizes' },
);

export async function presentOpsKey({ db, opsKeys }: OperatorServices) {
  const [current, ...previous] = (await opsKeys.all()).map(({ fingerprint }) => fingerprint);
  return { fingerprint: current!, previous, vms_to_replace: await countOtherOpsKeys(db, current!) };
}
