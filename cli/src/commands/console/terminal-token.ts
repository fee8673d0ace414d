import { command } from '../../command.ts';

export const createSshToken = command('createSshToken', {
  example: 'vauban console terminal-token web-1',
});
