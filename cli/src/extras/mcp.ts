import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Settings } from '../mcp/mcp-server.ts';
import { type GlobalOptions, Session } from '../session.ts';

/** Adds `vauban mcp`, which offers an account's tasks as tools of an AI assistant (Model Context Protocol). */
export function addMcp(program: Command, io: Io): void {
  program
    .command('mcp')
    .description('serve tools to an AI assistant, which starts this command, over the Model Context Protocol')
    .option(
      '--allow-writes',
      'offer tools that buy, change and delete; without it, the assistant can only read',
    )
    .option('--allow-commands', 'offer to run commands on VMs, with all the rights of the user there')
    .option('-i, --identity <file>', 'the private key for running commands on VMs')
    .option('--option <option>', 'an option of ssh for these commands', collect)
    .addHelpText('after', '\nExample:\n  $ claude mcp add vauban -- vauban mcp --context demo')
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & Settings>();
      // Loaded on demand: it is larger than everything else here.
      const { serve } = await import('../mcp/mcp-server.ts');
      await serve(new Session(io, options), options);
    });
}

const collect = (option: string, before: string[] = []) => [...before, option];
