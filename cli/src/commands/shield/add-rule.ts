import { command } from '../../command.ts';

export const addShieldRule = command('addShieldRule', {
  example:
    'vauban shield add-rule ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7 --action block --protocol udp --source-ports 53',
});
