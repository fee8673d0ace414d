import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deleteSshKey = command('deleteSshKey', {
  question: (session, { ids }) =>
    deletion(session, 'Delete this SSH key? VMs that already have it keep it.', ids),
  example: 'vauban ssh-key delete laptop',
});
