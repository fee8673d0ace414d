import { command } from '../../command.ts';

export const rebootVm = command('rebootVm', {
  example: 'vauban vm reboot web-1 --wait',
});
