import { command } from '../../command.ts';

export const listShieldRules = command('listShieldRules', {
  columns: ['id', 'priority', 'action', 'protocol', 'source', 'source_ports', 'destination_ports', 'status'],
  wide: ['packet_length', 'tcp_flags', 'fragments', 'rate', 'origin', 'comment', 'expires_at'],
  example: 'vauban shield rules ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7',
});
