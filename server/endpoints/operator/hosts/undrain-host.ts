import { setHostState } from '../../../db/queries/hosts.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { HostMachineShape, HostParams, requireHost, showHost } from './host-shape.ts';

export const undrainHost = operatorEndpoint({
  operation: 'undrainHost',
  method: 'POST',
  path: '/hosts/{host}/undrain',
  tag: 'host',
  summary: 'Let a host that was drained take VMs again',
  description: 'VMs that are on their way to others go on; none comes back by itself.',
  params: HostParams,
  data: HostMachineShape,
  errors: [],
  async handle({ params, services }) {
    const { id } = await requireHost(services, params.host);
    await services.db.transaction((tx) => setHostState(tx, id, 'up'));
    return { data: await showHost(services, id) };
  },
});
