import { command } from '../../command.ts';

export const getAgentStatus = command('getAgentStatus', {
  example: 'vauban agent status web-1',
});
