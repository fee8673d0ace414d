import { command } from '../../command.ts';
import { changeOfSize } from '../../questions.ts';

export const changePlan = command('changePlan', {
  positional: ['plan'],
  question: changeOfSize,
  example: 'vauban vm change-plan web-1 s2 --allow-reboot --wait',
});
