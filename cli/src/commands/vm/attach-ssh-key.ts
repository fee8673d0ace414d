import { command } from '../../command.ts';

export const attachSshKey = command('attachSshKey', {
  example: 'vauban vm attach-ssh-key web-1 --ssh-key-id laptop',
});
