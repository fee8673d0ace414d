import { command } from '../../command.ts';

export const getConsole = command('getConsole', {
  example: 'vauban console screen-ticket web-1',
});
