import { Command, Option } from 'commander';
import { OPERATIONS } from '../../sdk/src/index.ts';
import { safeLines } from '../../shared/safe-text.ts';
import { type OperationId, wordsOf } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import { addCompletion } from './extras/completion.ts';
import { addContext } from './extras/context.ts';
import { addInvoiceFile } from './extras/invoice-file.ts';
import { addMcp } from './extras/mcp.ts';
import { addSsh, addSshProxy } from './extras/ssh.ts';
import { addTerminal } from './extras/terminal.ts';
import { addTop } from './extras/top.ts';
import { addVnc } from './extras/vnc.ts';
import type { Io } from './io.ts';
import { addOperation } from './operation-command.ts';
import { FORMATS } from './output/printer.ts';
import { VERSION } from './version.ts';

/** Descriptions of the groups. Their commands come from the operations. */
const GROUPS: Record<string, string> = {
  catalog: 'plans, regions, OS images and prices',
  vm: 'virtual machines',
  firewall: 'firewall rules of a VM',
  'port-forward': 'ports of a shared address that lead to a VM',
  snapshot: 'snapshots of a VM',
  'ssh-key': 'stored SSH keys',
  console: 'tickets for the screen and the terminal of a VM',
  'console-share': 'links that share a terminal',
  agent: 'the AI SSH agent of a VM: vauban agent web-1 "Why is it slow?"',
  billing: 'wallet, orders, payments and invoices',
  shield: 'the DDoS shield: protected addresses, rules and attacks',
};

/**
 * Creates the command-line program. Only the groups named in `words` get their commands: building the options of all
 * groups would take most of the start-up time.
 */
export function createProgram(io: Io, words: readonly string[]): Command {
  const program = new Command('vauban')
    .description('Manages your VMs, billing and DDoS Shield on a Vauban cloud.')
    .version(VERSION)
    .option('--context <name>', 'the service and key to use, as stored by `vauban context`')
    .addOption(new Option('-o, --output <format>', 'output format').choices(FORMATS).default('table'))
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(safeLines(text)),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Exit status: 0 done, 1 refused, 2 wrong usage, 3 the service cannot be reached or does not answer,
4 not confirmed, 5 the job has failed, 130 interrupted. \`vauban ssh\` ends as ssh does.

Examples:
  $ vauban context create demo --url https://cloud.example
  $ vauban vm create web-1 --plan s1 --template debian-12 --wait
  $ vauban ssh web-1 -- uptime`,
    );
  const groups: Record<string, Command> = {};
  for (const operation of Object.keys(COMMANDS) as OperationId[]) {
    const [resource, method] = OPERATIONS[operation];
    const [name] = wordsOf(resource, method);
    groups[name] ??= program.command(name).description(GROUPS[name] ?? '');
    if (words.includes(name)) addOperation(groups[name], { ...COMMANDS[operation], operation }, io);
  }
  if (groups.billing && words.includes('billing')) addInvoiceFile(groups.billing, io);
  addContext(program, io);
  addSsh(program, io);
  addSshProxy(program, io);
  addTerminal(program, io);
  addVnc(program, io);
  addTop(program, io);
  addMcp(program, io);
  addCompletion(program, io);
  return program;
}
