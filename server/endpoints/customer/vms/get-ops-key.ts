import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const getOpsKey = endpoint({
  audience: 'customer',
  operation: 'getOpsKey',
  method: 'GET',
  path: '/v1/vm/ops-key',
  scope: 'vm:read',
  tag: 'vm',
  summary: 'Get the ops SSH key',
  description:
    'The key of the service itself, attached to every VM. Consoles and the AI agent use it. Not a secret.',
  data: Shape(
    {
      name: Type.String(),
      fingerprint: Type.String({ description: 'SHA-256, as `ssh-keygen -l` prints it' }),
    },
    { $id: 'OpsKey' },
  ),
  errors: [],
  example: {
    name: 'vauban-ops',
    fingerprint: 'SHA256:uNiVztksCsDhcc0u9e8BrrJXVGDR6x2kBpRAlhYZ8bE',
  },
  async handle({ services }) {
    const { name, fingerprint } = await services.opsKeys.current();
    return { data: { name, fingerprint } };
  },
});
