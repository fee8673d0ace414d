import type { OpsKey } from '../../shared/api/operator.ts';
import { group, plain } from '../command.ts';
import { printFields } from '../output.ts';

const show = plain('show', 'getOpsKey', {
  about: 'show the fingerprints, and how many VMs still have a previous key',
  print,
});

const rotate = plain('rotate', 'rotateOpsKey', {
  about: 'create a new key pair: new VMs get it at once, running VMs within minutes, others when they start',
  print,
});

function print(key: OpsKey): void {
  printFields({
    current: key.fingerprint,
    previous: key.previous.join(' ') || '-',
    'VMs with a previous key': String(key.vms_to_replace),
  });
}

export const opsKey = group('ops-key', 'the SSH key by which the service logs in to VMs', show, rotate);
