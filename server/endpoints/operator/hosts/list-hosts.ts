import { listHosts as readHosts } from '../../../db/queries/hosts/hosts.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { HostMachineShape, presentHost } from './host-shape.ts';

export const listHosts = endpoint({
  audience: 'operator',
  operation: 'listHosts',
  method: 'GET',
  path: '/hosts',
  tag: 'host',
  summary: 'List the hosts of VMs',
  description: 'Returns all hosts of the engine, by name.',
  data: Type.Array(HostMachineShape),
  errors: [],
  handle: async ({ services: { db, engine } }) => ({ data: (await readHosts(db, engine)).map(presentHost) }),
});
