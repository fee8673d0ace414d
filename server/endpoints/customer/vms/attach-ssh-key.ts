import type { Queryable } from '../../../db/database.ts';
import { findSshKeys } from '../../../db/queries/vms/ssh-keys.ts';
import { parsePublicKey } from '../../../domain/sshkeys/public-key.ts';
import { startJob } from '../../../domain/vms/start-job.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { invalidField } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { agentAnswers, requireAgent } from './agent-check.ts';
import { exampleJob, JobShape, presentJob } from './job-shape.ts';
import { loadVmForChange } from './load-vm.ts';

interface AttachedKey {
  id: string | null;
  name: string | null;
  fingerprint: string;
  algorithm: string;
  public_key: string;
}

export const attachSshKey = endpoint({
  audience: 'customer',
  operation: 'attachSshKey',
  method: 'POST',
  path: '/v1/vm/{id}/ssh-key',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Attach an SSH key to a VM',
  description:
    'Send either the `ssh_key_id` of a stored key or a `public_key`. Succeeds if the key is already attached.',
  params: VmParams,
  body: Input(
    {
      ssh_key_id: Type.Optional(Type.String({ description: 'A stored SSH key' })),
      public_key: Type.Optional(Type.String({ maxLength: 16384, description: 'One authorized_keys line' })),
    },
    { examples: [{ ssh_key_id: 'key_01ke1y0a2b4c6d8e0f2g4h6j8k' }] },
  ),
  data: Shape(
    {
      job: JobShape,
      ssh_key: Shape(
        {
          id: Nullable(Type.String({ description: 'Null for a key that is not stored' })),
          name: Nullable(Type.String()),
          fingerprint: Type.String(),
          algorithm: Type.String(),
          public_key: Type.String(),
        },
        { $id: 'AttachedSshKey' },
      ),
    },
    { $id: 'SshKeyJob', description: 'A key, and the job that attaches it' },
  ),
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'guest_agent_unavailable', 'compute_unavailable'],
  example: {
    job: { ...exampleJob, kind: 'attach_ssh_key' },
    ssh_key: {
      id: 'key_01ke1y0a2b4c6d8e0f2g4h6j8k',
      name: 'laptop',
      fingerprint: 'SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDR6x2kBpRAlhYZ8bE',
      algorithm: 'ssh-ed25519',
      public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl laptop',
    },
  },
  prepare: agentAnswers,
  load: loadVmForChange,
  async handle({ resource: vm, body, prepared, db, services, caller, now }) {
    const key = await requireKey(db, caller.accountId, body);
    requireAllowed(vm, 'attach_ssh_key');
    requireAgent(prepared);
    const input = { fingerprint: key.fingerprint, public_key: key.public_key };
    const job = await startJob({ db, services, caller, now }, vm, { kind: 'attach_ssh_key', input });
    return { data: { job: presentJob(job), ssh_key: key } };
  },
});

async function requireKey(
  db: Queryable,
  accountId: string,
  { ssh_key_id, public_key }: { ssh_key_id?: string; public_key?: string },
): Promise<AttachedKey> {
  if ((ssh_key_id === undefined) === (public_key === undefined)) {
    throw invalidField('ssh_key_id', 'required', 'send either ssh_key_id or public_key');
  }
  if (public_key !== undefined) {
    const { fingerprint, algorithm, public_key: line } = parsePublicKey(public_key);
    return { id: null, name: null, fingerprint, algorithm, public_key: line };
  }
  const [stored] = await findSshKeys(db, accountId, [ssh_key_id!]);
  if (!stored) throw invalidField('ssh_key_id', 'not_found', 'is not one of your SSH keys');
  const { id, name, fingerprint, algorithm } = stored;
  return { id, name, fingerprint, algorithm, public_key: stored.public_key };
}
