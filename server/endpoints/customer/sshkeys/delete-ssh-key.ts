import { deleteSshKeyRow, lockSshKey } from '../../../db/queries/vms/ssh-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Deleted, PathId } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleSshKey } from './ssh-key-shape.ts';

export const deleteSshKey = endpoint({
  audience: 'customer',
  operation: 'deleteSshKey',
  method: 'DELETE',
  path: '/v1/vm/sshkeys/{id}',
  scope: 'sshkey:write',
  tag: 'sshkey',
  summary: 'Delete a stored SSH key',
  description: 'VMs that already have the key keep it.',
  params: Type.Object({ id: PathId('key', 'SSH key identifier') }),
  data: Deleted,
  errors: [],
  example: { id: exampleSshKey.id, deleted: true },
  async load({ caller, params, db }) {
    const key = await lockSshKey(db, caller.accountId, params.id);
    if (!key) throw notFound();
    return key;
  },
  async handle({ resource, db }) {
    await deleteSshKeyRow(db, resource.id);
    return { data: { id: resource.id, deleted: true } };
  },
});
