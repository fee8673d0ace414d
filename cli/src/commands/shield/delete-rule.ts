import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deleteShieldRule = command('deleteShieldRule', {
  question: (session, { ids }) =>
    deletion(session, 'Delete this blocking rule? The traffic it blocks will pass again.', ids),
  example:
    'vauban shield delete-rule ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7 rul_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
