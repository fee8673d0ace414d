import type { AgentEvent, RunAgentRequest } from '../../sdk/src/index.ts';
import { safe, safeJson, safeLines } from '../../shared/safe-text.ts';
import type { Call } from './command.ts';
import { EXIT, Failure } from './failure.ts';
import type { Session } from './session.ts';

/**
 * Runs the agent at the terminal and asks about commands that need approval. Without a terminal such a command keeps
 * waiting, and the process exits with the code for "not confirmed".
 */
export async function converse(session: Session, { ids, input }: Call): Promise<void> {
  const { client, io, printer } = session;
  const [vmId] = ids;
  let error: string | undefined;
  let isWaiting = false;
  const show = (event: AgentEvent) => {
    if (printer.isForPeople) io.stdout.write(textOf(event));
    else printer.lines(safeJson(event));
    if (event.type === 'error') error = event.message;
  };
  if (input.approval !== undefined) {
    // The decision on a command of an earlier run, given as JSON.
    for await (const event of client.agent.run(vmId!, input as RunAgentRequest, { signal: io.signal }))
      show(event);
  } else {
    if (input.message === undefined)
      throw new Failure(EXIT.wronglyCalled, 'Describe your task: vauban agent web-1 "Why is it slow?"');
    const decide = async ({ command }: { command: string }) => {
      isWaiting = !io.stdin.isTTY;
      if (isWaiting) return undefined;
      const answer = await session.ask(`Run \`${safe(command)}\`? [y/N] `);
      return /^y(es)?$/i.test(answer.trim()) ? 'approve' : 'deny';
    };
    for await (const event of client.converse(vmId!, input, decide, { signal: io.signal })) show(event);
  }
  if (error) throw new Failure(EXIT.refused, safe(error));
  if (isWaiting)
    throw new Failure(
      EXIT.notConfirmed,
      'A command is waiting for your approval, but there is no terminal to ask for it.',
      `See it with: vauban agent status ${vmId}`,
    );
}

/** Returns the text of an event. The guest's output is escaped, so that it cannot control the terminal. */
function textOf(event: AgentEvent): string {
  switch (event.type) {
    case 'message.delta':
      return safeLines(event.text);
    case 'message.completed':
      return '\n';
    case 'command.proposed':
      return `\n> ${safe(event.command)}  (${event.risk}: ${safe(event.reason)})\n`;
    case 'command.output':
      return safeLines(event.text.replaceAll('\r\n', '\n'));
    case 'command.completed':
      return event.timed_out ? '(timed out)\n' : event.exit_code ? `(exit ${event.exit_code})\n` : '';
    case 'command.denied':
      return `(not run: ${safe(event.reason)})\n`;
    default:
      return '';
  }
}
