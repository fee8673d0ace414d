import { command } from '../../command.ts';

export const getVmBandwidth = command('getVmBandwidth', {
  example: 'vauban vm bandwidth web-1 --month 2026-01',
});
