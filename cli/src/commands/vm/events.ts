import { command } from '../../command.ts';

export const listEvents = command('listEvents', {
  columns: ['created_at', 'level', 'type', 'message'],
  wide: ['id', 'job_id', { heading: 'by', cell: ({ actor }) => actor.id ?? actor.type }],
  example: 'vauban vm events web-1 --limit 20',
});
