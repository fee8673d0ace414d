import { command } from '../../command.ts';

export const forceStopVm = command('forceStopVm', {
  question: async () => ({
    lines: ['What the VM has not written to its disk yet is lost.'],
    ask: 'Cut its power?',
  }),
  example: 'vauban vm force-stop web-1',
});
