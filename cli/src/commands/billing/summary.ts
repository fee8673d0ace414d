import { command } from '../../command.ts';

export const getBillingSummary = command('getBillingSummary', {
  example: 'vauban billing summary',
});
