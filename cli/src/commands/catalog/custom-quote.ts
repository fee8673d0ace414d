import { command } from '../../command.ts';

export const getCustomQuote = command('getCustomQuote', {
  example: 'vauban catalog custom-quote --vcpu 2 --ram-mb 2048 --disk-gb 40',
});
