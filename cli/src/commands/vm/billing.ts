import { command } from '../../command.ts';

export const getVmBilling = command('getVmBilling', {
  example: 'vauban vm billing web-1',
});
