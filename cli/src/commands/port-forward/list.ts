import { command } from '../../command.ts';

export const listPortForwards = command('listPortForwards', {
  columns: ['id', 'protocol', 'public_ip', 'external_port', 'internal_ip', 'internal_port', 'status'],
  wide: ['description', 'created_at'],
  example: 'vauban port-forward list web-1',
});
