import { command } from '../../command.ts';

export const listAttackEvents = command('listAttackEvents', {
  columns: ['id', 'status', 'severity', 'vectors', 'started_at', 'duration_seconds'],
  wide: ['reason', 'mitigated_at', 'ended_at', 'dropped_packets', 'dropped_bytes'],
  example: 'vauban shield attacks ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7',
});
