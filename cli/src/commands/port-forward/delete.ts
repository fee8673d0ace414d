import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deletePortForward = command('deletePortForward', {
  question: (session, { ids }) => deletion(session, 'Delete this port forward?', ids),
  example: 'vauban port-forward delete web-1 20022',
});
