import { command } from '../../command.ts';

export const listShieldTargets = command('listShieldTargets', {
  columns: ['id', 'ip', 'mode', 'status', 'rules_count', 'last_attack_at'],
  wide: ['family', 'vm_id', 'rules_limit'],
  example: 'vauban shield targets ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
