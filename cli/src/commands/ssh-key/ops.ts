import { command } from '../../command.ts';

export const getOpsKey = command('getOpsKey', {
  example: 'vauban ssh-key ops',
});
