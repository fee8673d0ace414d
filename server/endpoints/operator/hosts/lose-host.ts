import { endpoint } from '../../../http/endpoint.ts';
import { HostMachineShape, HostParams } from './host-shape.ts';
import { simulateOutage } from './simulate-outage.ts';

export const loseHost = endpoint({
  audience: 'operator',
  operation: 'loseHost',
  method: 'POST',
  path: '/hosts/{host}/lose',
  tag: 'host',
  summary: 'Make a simulated host unreachable to test the effect on its VMs',
  params: HostParams,
  data: HostMachineShape,
  errors: ['invalid_state'],
  handle: ({ params, services }) => simulateOutage(services, params.host, 'lose'),
});
