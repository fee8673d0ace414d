import type { Specs } from '../command.ts';
import { deletion } from '../questions.ts';

export const consoleShare = {
  listConsoleShares: {
    columns: ['id', 'mode', 'label', 'viewers', 'max_viewers', 'expires_at'],
    wide: ['created_at', 'last_used_at'],
    example: 'vauban console-share list web-1',
  },
  createConsoleShare: {
    positional: ['mode'],
    example: 'vauban console-share create web-1 read_only --ttl-seconds 900',
  },
  deleteConsoleShare: {
    question: (session, { ids }) =>
      deletion(session, 'Revoke this link? Its viewers will be disconnected.', ids),
    example: 'vauban console-share delete web-1 shr_01ke1y0a2b4c6d8e0f2g4h6j8k',
  },
} satisfies Specs;
