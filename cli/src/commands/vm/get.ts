import { command } from '../../command.ts';

export const getVm = command('getVm', {
  example: 'vauban vm get web-1',
});
