import { insertVmSshKey } from '../../db/queries/vms/vm-ssh-keys.ts';
import { type AttachSshKeyInput, type ResetPasswordInput, SEALED_FOR } from '../../domain/vms/job-inputs.ts';
import type { JobDefinition } from '../job.ts';

export const resetPassword: JobDefinition = {
  steps: [
    {
      name: 'set_password',
      async run({ compute, vm, job, services }) {
        const { username, sealed_password } = job.input as unknown as ResetPasswordInput;
        await compute.setPassword(vm.id, username, services.secrets.open(sealed_password, SEALED_FOR.reset));
      },
    },
  ],
  succeeded: async () => ({
    change: {},
    event: { type: 'vm.password_reset', message: 'The password was reset.' },
  }),
  failed: async () => ({ change: {} }),
};

/** Authorizes a key inside the guest and records it with the VM. */
export const attachSshKey: JobDefinition = {
  steps: [
    {
      name: 'authorize_key',
      run: ({ compute, vm, job }) =>
        compute.authorizeKey(vm.id, (job.input as unknown as AttachSshKeyInput).public_key),
    },
  ],
  async succeeded(tx, { job, vm }) {
    const { fingerprint, public_key } = job.input as unknown as AttachSshKeyInput;
    await insertVmSshKey(tx, vm.id, { fingerprint, public_key });
    return {
      change: {},
      event: { type: 'vm.ssh_key_attached', message: 'An SSH key was attached.', metadata: { fingerprint } },
    };
  },
  failed: async () => ({ change: {} }),
};
