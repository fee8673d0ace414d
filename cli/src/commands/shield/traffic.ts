import { command } from '../../command.ts';
import { latest } from '../../output/series.ts';

export const getEdgeTraffic = command('getEdgeTraffic', {
  show: latest,
  example: 'vauban shield traffic ten_01ke1y0a2b4c6d8e0f2g4h6j8k',
});
