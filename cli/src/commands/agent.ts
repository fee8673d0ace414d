import type { Specs } from '../command.ts';
import { converse } from '../converse.ts';

export const agent = {
  getAgentStatus: {
    example: 'vauban agent status web-1',
  },
  clearAgent: {
    example: 'vauban agent clear web-1',
  },
  runAgent: {
    positional: ['message'],
    run: converse,
    example: 'vauban agent web-1 "Why is it slow?"',
  },
} satisfies Specs;
