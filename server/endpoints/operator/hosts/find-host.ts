import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { HostMachineShape, HostParams, requireHost, showHost } from './host-shape.ts';
import { requireOutages } from './require-outages.ts';

export const findHost = operatorEndpoint({
  operation: 'findHost',
  method: 'POST',
  path: '/hosts/{host}/find',
  tag: 'host',
  summary: 'Make a simulated host one that can be reached again',
  params: HostParams,
  data: HostMachineShape,
  errors: ['invalid_state'],
  async handle({ params, services }) {
    const outages = requireOutages(services);
    const { id } = await requireHost(services, params.host);
    await outages.find(id);
    return { data: await showHost(services, id) };
  },
});
