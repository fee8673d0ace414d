import { command } from '../../command.ts';

export const startVm = command('startVm', {
  example: 'vauban vm start web-1 --wait',
});
