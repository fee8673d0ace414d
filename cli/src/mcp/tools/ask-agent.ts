import { idOf } from '../../names.ts';
import { bounded } from '../answers.ts';
import { inputOf, type Tool, VM } from '../tool.ts';

const MESSAGE = {
  message: { type: 'string', minLength: 1, maxLength: 4000, description: 'The task, in words' },
};

export const askAgent: Tool = {
  name: 'ask_agent',
  title: 'Give a task to the agent of a VM',
  description:
    "Gives a task to the service's own agent on a VM, which investigates on its own. Dangerous commands wait for the approval of a person: `vauban agent status`.",
  scopes: ['vm:console', 'vm:read'],
  power: 'command',
  isDestructive: true,
  input: inputOf({ ...VM, ...MESSAGE }),
  async call({ client, signal }, { vm, message }) {
    const id = await idOf(client, 'vm', vm as string, []);
    const steps: object[] = [];
    const output: Record<string, string> = {};
    let waits = false;
    const task = { message: message as string, approval_mode: 'dangerous' } as const;
    for await (const event of client.agent.run(id, task, { signal })) {
      if (event.type === 'message.completed') steps.push({ message: bounded(event.text, 4000) });
      if (event.type === 'command.output')
        output[event.command_id] = bounded((output[event.command_id] ?? '') + event.text, 4000);
      if (event.type === 'command.proposed') steps.push({ command: event.command, risk: event.risk });
      if (event.type === 'command.completed')
        steps.push({ exit_status: event.exit_code, output: output[event.command_id] ?? '' });
      if (event.type === 'command.denied') steps.push({ denied: event.reason });
      if (event.type === 'error') steps.push({ error: event.message, code: event.code });
      if (event.type === 'approval.required') waits = true;
    }
    const said = 'The last command is waiting for a person to approve it with `vauban agent status`.';
    return { ...(waits && { said }), data: { steps } };
  },
};
