import { command } from '../../command.ts';

export const createConsoleShare = command('createConsoleShare', {
  positional: ['mode'],
  example: 'vauban console-share create web-1 read_only --ttl-seconds 900',
});
