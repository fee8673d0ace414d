import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deleteSnapshot = command('deleteSnapshot', {
  question: (session, { ids }) => deletion(session, 'Delete this snapshot? This cannot be undone.', ids),
  example: 'vauban snapshot delete web-1 before-upgrade',
});
