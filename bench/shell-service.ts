// The service, with shell-guest.ts as port 22 of all guests.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '../server/config/config.ts';
import { createLogger } from '../server/platform/logging.ts';
import { startService } from '../server/start/compose.ts';
import { openState } from '../server/start/state.ts';

const config = loadConfig(process.env);
const service = await startService(config, await openState(config), {
  logger: createLogger({ logLevel: 'silent' }),
});
// Its VMs are rows without guests, which would be reported as missing.
await service.services.guests.hold();
const { publicKey } = await service.services.opsKeys.current();
const guest = fork(join(import.meta.dirname, 'shell-guest.ts'), [publicKey]);
const [port] = (await once(guest, 'message')) as [number];
Object.assign(service.services.compute, {
  async openSsh() {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    return socket;
  },
});
process.once('SIGTERM', async () => {
  await service.stop();
  guest.disconnect();
});
