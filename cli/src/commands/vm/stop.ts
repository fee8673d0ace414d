import { command } from '../../command.ts';

export const stopVm = command('stopVm', {
  example: 'vauban vm stop web-1 --timeout-seconds 120 --wait',
});
