import { clearSession } from '../../../agent/start-run.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { loadVmForChange } from '../vms/load-vm.ts';

export const clearAgent = endpoint({
  audience: 'customer',
  operation: 'clearAgent',
  method: 'POST',
  path: '/v1/vm/{id}/ai-agent/clear',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Start a new AI SSH agent session',
  description:
    'Deletes the conversation and drops a command that is waiting for approval. Refused during a run.',
  params: VmParams,
  data: Shape({ session_id: Id('ars'), started_at: Timestamp() }, { $id: 'AgentSession' }),
  errors: ['agent_busy'],
  example: { session_id: 'ars_01ke1y4a0c2e4g6j8m0q2s4v6x', started_at: '2026-01-05T10:00:00.000Z' },
  load: loadVmForChange,
  async handle({ resource: vm, db, services, caller, now }) {
    const { id, started_at } = await clearSession({ db, clock: services.clock, caller, now }, vm);
    return { data: { session_id: id, started_at } };
  },
});
