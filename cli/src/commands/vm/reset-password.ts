import { command } from '../../command.ts';

export const resetPassword = command('resetPassword', {
  positional: ['username'],
  question: async () => ({ lines: ['The current password will be replaced.'], ask: 'Reset it?' }),
  example: 'vauban vm reset-password web-1 root',
});
