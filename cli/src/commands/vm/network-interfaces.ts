import { command } from '../../command.ts';

export const listNics = command('listNics', {
  columns: [
    'id',
    'name',
    'mac',
    'type',
    { heading: 'addresses', cell: ({ ips }) => ips.map(({ address, prefix }) => `${address}/${prefix}`) },
  ],
  wide: ['bandwidth_limit_bps'],
  example: 'vauban vm network-interfaces web-1',
});
