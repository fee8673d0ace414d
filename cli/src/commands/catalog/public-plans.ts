import { command } from '../../command.ts';

export const listPublicPlans = command('listPublicPlans', {
  example: 'vauban catalog public-plans',
});
