import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { read } from '../../support/source.ts';
import { PUBLIC, type Takeover } from './region.ts';
import { running } from './running.ts';

/** Returns the documentation's configuration for a gateway of a test, with its interfaces and its service's socket. */
function configuration(index: number, operatorSocket: string): string {
  const text = read('deploy/keepalived/keepalived.conf')
    .replaceAll('eth0', 'w0')
    .replaceAll('eth1', 'l0')
    .replace('script_user nobody', 'script_user root')
    .replace('http://127.0.0.1:8081/', `--unix-socket ${operatorSocket} http://localhost/`);
  if (index === 0) return text;
  const swapped = text.replaceAll(/\.1([12])$/gm, (_, last) => (last === '1' ? '.12' : '.11'));
  return swapped.replaceAll('priority 100', 'priority 95');
}

/** Gateways pass the addresses among themselves. */
export const keepalived: Takeover = {
  async prepare(_t, { gateways }) {
    await gateways[0]!.release();
  },
  async join(t, { directory, space }, { index, operatorSocket }) {
    const at = (name: string) => join(directory, name);
    await writeFile(at('keepalived.conf'), configuration(index, operatorSocket));
    const pids = ['-p', at('keepalived.pid'), '-r', at('vrrp.pid')];
    return running(t, space, ['keepalived', '-n', '-l', '-P', '-f', at('keepalived.conf'), ...pids]);
  },
  async isInCharge({ gateways }, index) {
    return (await gateways[index]!.addresses()).includes(`${PUBLIC}/32`);
  },
};
