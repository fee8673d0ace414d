import { command } from '../../command.ts';

export const addSshKey = command('addSshKey', {
  positional: ['name'],
  example: 'vauban ssh-key add laptop --public-key @$HOME/.ssh/id_ed25519.pub',
});
