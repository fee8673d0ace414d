import { command } from '../../command.ts';
import { latest } from '../../output/series.ts';

export const getVmMetrics = command('getVmMetrics', {
  show: latest,
  example: 'vauban vm metrics web-1 --metrics cpu,network',
});
