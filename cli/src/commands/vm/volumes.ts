import { command } from '../../command.ts';

export const listVolumes = command('listVolumes', {
  columns: ['id', 'name', 'size_gb', 'used_bytes', 'type', 'boot', 'device'],
  wide: ['created_at'],
  example: 'vauban vm volumes web-1',
});
