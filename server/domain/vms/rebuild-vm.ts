import type { Transaction } from '../../db/database.ts';
import { countUsableSnapshots } from '../../db/queries/vms/snapshots.ts';
import { recordedOpsKey } from '../../db/queries/vms/vm-ops-keys.ts';
import { authorizedKeysOf } from '../../db/queries/vms/vm-ssh-keys.ts';
import type { VmView } from '../../db/queries/vms/vms.ts';
import { ApiError } from '../../platform/errors.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { requireRoomFor } from './configuration.ts';
import { requireSshKeys } from './create-vm.ts';
import { type RebuildInput, SEALED_FOR } from './job-inputs.ts';
import { type EngineOffer, requireImage } from './offer.ts';
import { generatePassword } from './passwords.ts';
import { reserveSecondDisk } from './reserve.ts';
import { isWantedOn } from './restore-vm.ts';
import { requireAllowed, requireWhole } from './states.ts';

/** The body of a rebuild request, already validated by its schema. */
export interface RebuildRequest {
  template: string;
  /** Keys of the VM's account; if absent, the keys that may already log in. */
  ssh_key_ids?: string[];
  user_data?: string;
  /** True if the VM's snapshots may be deleted with its disk; those in error are deleted in any case. */
  delete_snapshots?: boolean;
}

/**
 * Returns the input of the job that reinstalls a VM from a template, and a new password for its default user if no key
 * may log in, as for a new VM. A rebuild is free: templates have no price. Throws `capacity_unavailable` if the host
 * has no space for the second disk. `offer` is for the template in the VM's own region.
 */
export async function decideRebuild(
  db: Transaction,
  { catalog, secrets }: { catalog: Catalog; secrets: SecretBox },
  vm: VmView,
  request: RebuildRequest,
  offer: EngineOffer,
): Promise<{ input: RebuildInput; initialPassword: string | null }> {
  const template = requireImage(catalog, request.template, offer);
  requireRoomFor(template, vm);
  const keys = request.ssh_key_ids && (await requireSshKeys(db, vm.account_id, request.ssh_key_ids));
  requireAllowed(vm, 'rebuild');
  requireWhole(vm);
  await requireNoSnapshots(db, vm, request.delete_snapshots ?? false);
  const hasKey = (keys ?? (await authorizedKeysOf(db, vm.id))).length > 0;
  const initialPassword = hasKey ? null : generatePassword();
  const sealed = (text: string | null, purpose: string) =>
    text === null ? null : secrets.seal(text, purpose);
  const input: RebuildInput = {
    template: template.code,
    keys: keys?.map(({ fingerprint, public_key }) => ({ fingerprint, public_key })) ?? null,
    sealed_password: sealed(initialPassword, SEALED_FOR.create),
    sealed_user_data: sealed(request.user_data ?? null, SEALED_FOR.userData),
    ops_key_fingerprint: await recordedOpsKey(db, vm.id),
    restart: isWantedOn(vm),
  };
  // Last, because the host's row stays locked until the commit.
  await reserveSecondDisk({ db, hosts: offer.hosts }, vm, vm.disk_gb);
  return { input, initialPassword };
}

async function requireNoSnapshots(db: Transaction, vm: VmView, mayGo: boolean): Promise<void> {
  const count = mayGo ? 0 : await countUsableSnapshots(db, vm.id);
  if (count === 0) return;
  throw new ApiError(
    'invalid_state',
    `The VM has ${count} snapshot${count === 1 ? '' : 's'}, which a rebuild would delete along with its disk. Delete them first, or send delete_snapshots: true.`,
    { snapshots: count },
  );
}
