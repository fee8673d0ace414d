import { Command } from 'commander';
import { addAccountCreate } from './commands/account-create.ts';
import { addAccountCredit } from './commands/account-credit.ts';
import { addAccountList } from './commands/account-list.ts';
import { addAccountShow } from './commands/account-show.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { Failure } from './failure.ts';
import manifest from './package.json' with { type: 'json' };

const program = new Command('vaubanctl')
  .description('Manages the accounts, the money and the API keys of the Vauban service on this machine.')
  .version(manifest.version)
  .option('--data-dir <dir>', "the service's data directory (default: $VAUBAN_DATA_DIR, else ./data)")
  .option('--socket <path>', "the service's operator socket (default: vauban.sock in the data directory)")
  .option('--json', 'print JSON, for scripts')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `
Exit status: 0 done, 1 refused or wrongly called, 2 the service cannot be reached.

Examples:
  $ vaubanctl account create --name "Example Ltd"
  $ vaubanctl account credit acc_… 50.00 --reference "transfer 4711"
  $ vaubanctl key create acc_… --name deploy --scopes vm:read,vm:write --expires 90d`,
  );

const account = program.command('account').description('accounts and their wallets');
addAccountCreate(account);
addAccountList(account);
addAccountShow(account);
addAccountCredit(account);

const key = program.command('key').description('API keys of an account');
addKeyCreate(key);
addKeyList(key);
addKeyRevoke(key);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  for (const line of error.lines) console.error(`vaubanctl: ${line}`);
  process.exitCode = error.exitCode;
}
