import { command } from '../../command.ts';
import { lossOfVm } from '../../questions.ts';

export const deleteVm = command('deleteVm', {
  question: (session, { ids: [vm] }) => lossOfVm(session, vm!),
  example: 'vauban vm delete web-1',
});
