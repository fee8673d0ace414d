import { join } from 'node:path';
import type { Command } from 'commander';
import { OperatorClient } from './operator-client.ts';

/** What the options that every command takes come to. */
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
  // An empty variable counts as absent, as it does for the service.
  const dataDir = options.dataDir ?? (process.env.VAUBAN_DATA_DIR || 'data');
  const socket = options.socket ?? join(dataDir, 'vauban.sock');
  return { client: new OperatorClient(socket), json: options.json ?? false };
}
