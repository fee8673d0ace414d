import { command } from '../../command.ts';

export const addFirewallRule = command('addFirewallRule', {
  example:
    'vauban firewall add web-1 --direction in --action accept --protocol tcp --ports 443 --cidrs 0.0.0.0/0,::/0',
});
