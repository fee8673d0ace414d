import { endpoint } from '../../../http/endpoint.ts';
import { OpsKeyShape, presentOpsKey } from './ops-key-shape.ts';

export const rotateOpsKey = endpoint({
  audience: 'operator',
  operation: 'rotateOpsKey',
  method: 'POST',
  path: '/ops-key/rotate',
  tag: 'service',
  summary: 'Replace the SSH key that every guest authorizes',
  description: 'New VMs get it at once, running VMs within minutes, others when they start.',
  data: OpsKeyShape,
  errors: [],
  async handle({ services }) {
    await services.opsKeys.rotate();
    const data = await presentOpsKey(services);
    services.logger.info(data, 'ops key rotated');
    return { data };
  },
});
