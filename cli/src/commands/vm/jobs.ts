import { command } from '../../command.ts';

export const listJobs = command('listJobs', {
  columns: ['id', 'kind', 'status', 'progress', 'created_at'],
  wide: ['started_at', 'finished_at', { heading: 'error', cell: ({ error }) => error?.message }],
  example: 'vauban vm jobs web-1 --status all',
});
