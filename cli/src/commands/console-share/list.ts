import { command } from '../../command.ts';

export const listConsoleShares = command('listConsoleShares', {
  columns: ['id', 'mode', 'label', 'viewers', 'max_viewers', 'expires_at'],
  wide: ['created_at', 'last_used_at'],
  example: 'vauban console-share list web-1',
});
