import { command } from '../../command.ts';

export const clearAgent = command('clearAgent', {
  example: 'vauban agent clear web-1',
});
