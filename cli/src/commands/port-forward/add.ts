import { command } from '../../command.ts';

export const addPortForward = command('addPortForward', {
  example: 'vauban port-forward add web-1 --protocol tcp --external-port 20022 --internal-port 22',
});
