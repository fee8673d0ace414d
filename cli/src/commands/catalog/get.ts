import { command } from '../../command.ts';

export const getCatalog = command('getCatalog', {
  example: 'vauban catalog get',
});
