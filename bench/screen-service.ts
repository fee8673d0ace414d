// The service, whose guests' screens are all the one at the socket BENCH_SCREEN.
import { once } from 'node:events';
import { connect } from 'node:net';
import { startService } from '../server/app.ts';
import { loadConfig } from '../server/config.ts';
import { createLogger } from '../server/platform/logging.ts';

const config = loadConfig(process.env);
const service = await startService(config, { logger: createLogger({ logLevel: 'silent' }) });
Object.assign(service.services.compute, {
  async openVnc() {
    const socket = connect(process.env.BENCH_SCREEN!);
    await once(socket, 'connect');
    return socket;
  },
});
process.once('SIGTERM', () => service.stop());
