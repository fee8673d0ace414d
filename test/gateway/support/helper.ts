import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { run } from '../../compute/routed/support/namespace.ts';
import { defer } from '../../support/cleanup.ts';
import { HELPER_USER, PRIVILEGES } from '../../support/helper-process.ts';
import { REPOSITORY } from '../../support/source.ts';

/** A gateway's helper that is not running yet. */
export interface GatewayHelper {
  directory: string;
  socket: string;
  /** The command that runs it, in the network where it is executed. */
  command: string[];
}

/** `allowance` is the content of gateway.yaml. */
export async function gatewayHelper(t: TestContext, allowance: string): Promise<GatewayHelper> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-gateway-'));
  defer(t, () => rm(directory, { recursive: true }));
  await chown(directory, Number(await run('id', '-u', HELPER_USER)), 0);
  await chmod(directory, 0o755);
  const [config, socket] = [join(directory, 'gateway.yaml'), join(directory, 'gateway.sock')];
  await writeFile(config, allowance);
  const program = [process.execPath, join(REPOSITORY, 'server/gatewayd.ts')];
  const flags = ['--config', config, '--socket', socket];
  return { directory, socket, command: ['setpriv', ...PRIVILEGES, '--', ...program, ...flags] };
}
