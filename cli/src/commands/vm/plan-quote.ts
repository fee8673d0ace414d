import { command } from '../../command.ts';

export const getPlanQuote = command('getPlanQuote', {
  example: 'vauban vm plan-quote web-1 --plan s2',
});
