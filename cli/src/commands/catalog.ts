import type { Specs } from '../command.ts';

export const catalog = {
  getCatalog: {
    example: 'vauban catalog get',
  },
  listPublicPlans: {
    example: 'vauban catalog public-plans',
  },
  getPrices: {
    example: 'vauban catalog prices',
  },
  getCustomQuote: {
    example: 'vauban catalog custom-quote --vcpu 2 --ram-mb 2048 --disk-gb 40',
  },
} satisfies Specs;
