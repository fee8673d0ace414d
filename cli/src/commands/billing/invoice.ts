import { command } from '../../command.ts';

export const getInvoice = command('getInvoice', {
  example: 'vauban billing invoice inv_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
