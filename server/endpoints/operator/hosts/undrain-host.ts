import { undrainHost as undrain } from '../../../db/queries/hosts/hosts.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { cancelMoves } from '../../../jobs/reconcilers/announce-moves.ts';
import { Failures } from '../../../platform/failures.ts';
import { HostMachineShape, HostParams, requireHost, showHost } from './host-shape.ts';

export const undrainHost = endpoint({
  audience: 'operator',
  operation: 'undrainHost',
  method: 'POST',
  path: '/hosts/{host}/undrain',
  tag: 'host',
  summary: 'Let a drained host accept VMs again',
  description:
    'VMs that are already moving to other hosts continue to do so, and none returns automatically. Owners who were notified of a window are notified that it is canceled.',
  params: HostParams,
  data: HostMachineShape,
  errors: [],
  async handle({ params, services }) {
    const { id } = await requireHost(services, params.host);
    await services.db.transaction((tx) => undrain(tx, id));
    await cancelMoves(services, new Failures(services));
    return { data: await showHost(services, id) };
  },
});
