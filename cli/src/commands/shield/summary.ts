import { command } from '../../command.ts';

export const getShieldSummary = command('getShieldSummary', {
  example: 'vauban shield summary ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
