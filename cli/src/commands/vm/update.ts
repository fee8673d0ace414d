import { command } from '../../command.ts';

export const updateVm = command('updateVm', {
  example: 'vauban vm update web-1 --no-auto-renew',
});
