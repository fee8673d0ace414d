import type { Specs } from '../command.ts';

export const console = {
  getConsole: {
    example: 'vauban console screen-ticket web-1',
  },
  createSshToken: {
    example: 'vauban console terminal-token web-1',
  },
} satisfies Specs;
