import { inspectHost } from '../../../compute/qemu/host.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { imagesOf } from '../images/images-of.ts';

export const getHost = endpoint({
  audience: 'operator',
  operation: 'getHost',
  method: 'GET',
  path: '/host',
  tag: 'host',
  summary: 'Check whether this host can run guests',
  description: 'Checked as the user of the service.',
  data: Shape(
    {
      compute: Type.String({ description: 'The engine that the service runs' }),
      clustered: Type.Boolean({
        description: 'True if VMs run on clusters, which have their own list and check, instead of this host',
      }),
      findings: Type.Array(
        Shape({
          what: Type.String(),
          state: Enum(['ok', 'limited', 'missing'], {
            description: '`limited`: guests run with restrictions. `missing`: guests cannot run',
          }),
          found: Type.String({ description: 'The finding, or the reason why it does not suffice' }),
        }),
      ),
    },
    { $id: 'Host', description: 'Requirements of guests for the host, item by item' },
  ),
  errors: [],
  async handle({ services }) {
    const { config, compute } = services;
    const { dataDir, poolDir = dataDir, qemuAccel: accelerator } = config;
    const findings = await inspectHost({ dataDir, poolDir, images: imagesOf(services), accelerator });
    return { data: { compute: compute.name, clustered: compute.clusters !== undefined, findings } };
  },
});
