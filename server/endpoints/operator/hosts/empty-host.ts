import { lockHost, setHostState } from '../../../db/queries/hosts.ts';
import { emptyHosts } from '../../../jobs/reconcilers/empty-hosts.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { HostMachineShape, HostParams, requireHost, requireMoves, showHost } from './host-shape.ts';

export const emptyHost = operatorEndpoint({
  operation: 'emptyHost',
  method: 'POST',
  path: '/hosts/{host}/drain',
  tag: 'host',
  summary: 'Move all VMs away from a host, and put no new one there',
  description:
    'Each VM is moved by a job, some at a time, to a host of its zone with room; one for which there is none stays until there is. ' +
    '`evacuated` says that the host is empty.',
  params: HostParams,
  data: HostMachineShape,
  errors: ['invalid_state'],
  async handle({ params, services }) {
    requireMoves(services);
    const { id } = await requireHost(services, params.host);
    await services.db.transaction(async (tx) => {
      const host = await lockHost(tx, id);
      if (host?.state === 'up') await setHostState(tx, id, 'draining');
    });
    await emptyHosts(services);
    return { data: await showHost(services, id) };
  },
});
