import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deleteConsoleShare = command('deleteConsoleShare', {
  question: (session, { ids }) =>
    deletion(session, 'Revoke this link? Its viewers will be disconnected.', ids),
  example: 'vauban console-share delete web-1 shr_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
