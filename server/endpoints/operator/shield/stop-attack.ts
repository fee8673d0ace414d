import { endpoint } from '../../../http/endpoint.ts';
import { Count, Id, Shape } from '../../../http/schemas.ts';
import { requireSimulated } from './require-simulated.ts';
import { requireTarget, TargetParams } from './target-shape.ts';

export const stopAttack = endpoint({
  audience: 'operator',
  operation: 'stopAttack',
  method: 'POST',
  path: '/targets/{id}/attack/stop',
  tag: 'shield',
  summary: 'End the simulated attacks on a target',
  params: TargetParams,
  data: Shape({ target_id: Id('tgt'), stopped: Count('Attacks that were ended') }),
  errors: ['invalid_state'],
  async handle({ params: { id }, services }) {
    const attacks = requireSimulated(services);
    await requireTarget(services.db, id);
    return { data: { target_id: id, stopped: await attacks.stop(id) } };
  },
});
