import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { HostMachineShape, HostParams, requireHost, showHost } from './host-shape.ts';
import { requireOutages } from './require-outages.ts';

export const loseHost = operatorEndpoint({
  operation: 'loseHost',
  method: 'POST',
  path: '/hosts/{host}/lose',
  tag: 'host',
  summary: 'Make a simulated host one that cannot be reached, to see what becomes of its VMs',
  params: HostParams,
  data: HostMachineShape,
  errors: ['invalid_state'],
  async handle({ params, services }) {
    const outages = requireOutages(services);
    const { id } = await requireHost(services, params.host);
    await outages.lose(id);
    return { data: await showHost(services, id) };
  },
});
