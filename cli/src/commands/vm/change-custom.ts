import { command } from '../../command.ts';
import { changeOfSize } from '../../questions.ts';

export const changeCustom = command('changeCustom', {
  question: changeOfSize,
  example: 'vauban vm change-custom web-1 --vcpu 4 --ram-mb 8192',
});
