import { command } from '../../command.ts';
import { purchase } from '../../questions.ts';

export const createVm = command('createVm', {
  positional: ['hostname'],
  question: purchase,
  example: 'vauban vm create web-1 --plan s1 --template debian-12 --wait',
});
