import { command } from '../../command.ts';

export const getWallet = command('getWallet', {
  example: 'vauban billing wallet',
});
