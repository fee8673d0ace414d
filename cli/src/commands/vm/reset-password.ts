import { command } from '../../command.ts';

export const resetPassword = command('resetPassword', {
  positional: ['username'],
  question: async () => ({ lines: ['The password that it has is replaced.'], ask: 'Set another one?' }),
  example: 'vauban vm reset-password web-1 root',
});
