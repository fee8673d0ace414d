import { command } from '../../command.ts';

export const forceStopVm = command('forceStopVm', {
  question: async () => ({
    lines: ['Data that the VM has not yet written to its disk will be lost.'],
    ask: 'Cut its power?',
  }),
  example: 'vauban vm force-stop web-1',
});
