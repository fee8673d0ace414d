import type { AgentApprovalRequired, AgentDecision, AgentEvent, RunAgentRequest } from './api.ts';
import type { RequestOptions } from './options.ts';

/** The decision on a command that awaits approval. Undefined leaves it waiting and ends the conversation for now. */
export type Decide = (
  request: AgentApprovalRequired,
) => Promise<AgentDecision | undefined> | AgentDecision | undefined;

type Run = (body: RunAgentRequest, options: RequestOptions) => AsyncIterable<AgentEvent>;

/** Yields the events of a run from start to end, across approvals. */
export async function* converse(
  run: Run,
  message: Pick<RunAgentRequest, 'message' | 'approval_mode' | 'max_steps'>,
  decide: Decide,
  options: RequestOptions,
): AsyncGenerator<AgentEvent, void, void> {
  let body: RunAgentRequest | undefined = message;
  while (body) {
    let waiting: AgentApprovalRequired | undefined;
    for await (const event of run(body, options)) {
      if (event.type === 'approval.required') waiting = event;
      yield event;
    }
    const decision: AgentDecision | undefined = waiting && (await decide(waiting));
    body = waiting && decision && { approval: { id: waiting.approval_id, decision } };
  }
}
