import type { Specs } from '../command.ts';
import { latest } from '../output/series.ts';
import { deletion } from '../questions.ts';

export const shield = {
  getShieldSummary: {
    example: 'vauban shield summary ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
  listShieldTargets: {
    columns: ['id', 'ip', 'mode', 'status', 'rules_count', 'last_attack_at'],
    wide: ['family', 'vm_id', 'rules_limit'],
    example: 'vauban shield targets ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
  listShieldRules: {
    columns: [
      'id',
      'priority',
      'action',
      'protocol',
      'source',
      'source_ports',
      'destination_ports',
      'status',
    ],
    wide: ['packet_length', 'tcp_flags', 'fragments', 'rate', 'origin', 'comment', 'expires_at'],
    example: 'vauban shield rules ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7',
  },
  addShieldRule: {
    example:
      'vauban shield add-rule ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7 --action block --protocol udp --source-ports 53',
  },
  listAttackEvents: {
    columns: ['id', 'status', 'severity', 'vectors', 'started_at', 'duration_seconds'],
    wide: ['reason', 'mitigated_at', 'ended_at', 'dropped_packets', 'dropped_bytes'],
    example: 'vauban shield attacks ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7',
  },
  getEdgeTraffic: {
    show: latest,
    example: 'vauban shield traffic ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
  deleteShieldRule: {
    question: (session, { ids }) =>
      deletion(session, 'Delete this blocking rule? The traffic it blocks will pass again.', ids),
    example:
      'vauban shield delete-rule ten_01ke1y0a2b4c6d8e0f2g4h6j8k 203.0.113.7 rul_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
} satisfies Specs;
