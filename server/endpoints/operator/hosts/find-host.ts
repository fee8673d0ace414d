import { endpoint } from '../../../http/endpoint.ts';
import { HostMachineShape, HostParams } from './host-shape.ts';
import { simulateOutage } from './simulate-outage.ts';

export const findHost = endpoint({
  audience: 'operator',
  operation: 'findHost',
  method: 'POST',
  path: '/hosts/{host}/find',
  tag: 'host',
  summary: 'Make a simulated host reachable again',
  params: HostParams,
  data: HostMachineShape,
  errors: ['invalid_state'],
  handle: ({ params, services }) => simulateOutage(services, params.host, 'find'),
});
