import type { OpsKey } from './operator-api.ts';
import { printFields } from './output.ts';

export function printOpsKey(key: OpsKey): void {
  printFields({
    current: key.fingerprint,
    previous: key.previous.join(' ') || '-',
    'VMs with a previous key': String(key.vms_to_replace),
  });
}
