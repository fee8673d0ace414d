import { command } from '../../command.ts';
import { deletion } from '../../questions.ts';

export const deleteFirewallRule = command('deleteFirewallRule', {
  question: (session, { ids }) => deletion(session, 'Delete this firewall rule?', ids),
  example: 'vauban firewall delete web-1 fwr_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
