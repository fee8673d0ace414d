import { command } from '../../command.ts';
import { converse } from '../../converse.ts';

export const runAgent = command('runAgent', {
  positional: ['message'],
  run: converse,
  example: 'vauban agent web-1 "Why is it slow?"',
});
