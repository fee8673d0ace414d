import { command } from '../../command.ts';

export const getPrices = command('getPrices', {
  example: 'vauban catalog prices',
});
