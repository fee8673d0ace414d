import { command } from '../../command.ts';

export const getUsage = command('getUsage', {
  example: 'vauban billing usage',
});
