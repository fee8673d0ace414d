import { command } from '../../command.ts';

export const listSnapshots = command('listSnapshots', {
  columns: ['id', 'name', 'status', 'size_bytes', 'created_at'],
  wide: ['description', 'includes_memory'],
  example: 'vauban snapshot list web-1',
});
