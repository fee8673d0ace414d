import type { GuestSpec } from '../../compute/driver.ts';
import { addressesOf } from '../../db/queries/vms/addresses.ts';
import { authorizedKeysOf } from '../../db/queries/vms/vm-ssh-keys.ts';
import { diskSpeed } from '../../domain/catalog/lookup.ts';
import { SEALED_FOR, type SealedSecrets } from '../../domain/vms/job-inputs.ts';
import type { JobContext } from '../job.ts';

/**
 * Returns the specification for creating the VM's guest: its size, name, addresses and keys, and the ops key, which is
 * recorded for the VM. Decrypts the password and the user data in `sealed`.
 */
export async function guestSpec(
  { services, vm }: JobContext,
  sealed: SealedSecrets,
  own: { template: string; keys?: string[] },
): Promise<GuestSpec> {
  const opened = (text: string | null | undefined, purpose: string) =>
    text ? services.secrets.open(text, purpose) : undefined;
  const [opsKey, keys, addresses] = await services.db.transaction((tx) =>
    Promise.all([
      services.opsKeys.assignTo(tx, vm.id),
      own.keys ?? authorizedKeysOf(tx, vm.id),
      addressesOf(tx, vm.id),
    ]),
  );
  return {
    id: vm.id,
    hostId: vm.host_id!,
    hostname: vm.hostname,
    template: own.template,
    region: vm.region,
    vcpu: vm.vcpu,
    ramMb: vm.ram_mb,
    diskGb: vm.disk_gb,
    dedicated: vm.dedicated,
    disk: diskSpeed(services.catalog, vm.plan),
    mac: vm.mac,
    addresses,
    authorizedKeys: [...keys, opsKey.publicKey],
    password: opened(sealed.sealed_password, SEALED_FOR.create),
    userData: opened(sealed.sealed_user_data, SEALED_FOR.userData) ?? sealed.user_data ?? undefined,
  };
}
