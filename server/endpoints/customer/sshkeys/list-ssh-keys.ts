import { listSshKeys as querySshKeys } from '../../../db/queries/vms/ssh-keys.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { pageFrom, paginated } from '../../../http/page.ts';
import { PageQuery } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleSshKey, Fingerprint, presentSshKey, SshKeyShape } from './ssh-key-shape.ts';

export const listSshKeys = endpoint({
  audience: 'customer',
  operation: 'listSshKeys',
  method: 'GET',
  path: '/v1/vm/sshkeys',
  scope: 'sshkey:read',
  tag: 'sshkey',
  summary: 'List stored SSH keys',
  description: 'Newest first.',
  query: Type.Object({ ...PageQuery, fingerprint: Type.Optional(Fingerprint) }),
  data: Type.Array(SshKeyShape),
  paginated: true,
  errors: ['invalid_cursor'],
  example: [exampleSshKey],
  async handle({ caller, query, db }) {
    const page = pageFrom(query);
    return paginated(await querySshKeys(db, caller.accountId, query, page), page, presentSshKey);
  },
});
