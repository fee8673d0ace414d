import { join } from 'node:path';
import type { Command } from 'commander';
import { OperatorClient } from './operator-client.ts';

/** The client and output format that the global options select. */
export interface Context {
  client: OperatorClient;
  json: boolean;
}

interface GlobalOptions {
  dataDir?: string;
  socket?: string;
  json?: boolean;
}

export function contextOf(command: Command): Context {
  const options = command.optsWithGlobals<GlobalOptions>();
  // An empty variable counts as unset, as in the service.
  const dataDir = options.dataDir ?? (process.env.VAUBAN_DATA_DIR || 'data');
  const socket = options.socket ?? join(dataDir, 'vauban.sock');
  return { client: new OperatorClient(socket), json: options.json ?? false };
}
