import { Command } from 'commander';
import { addAccountCreate } from './commands/account-create.ts';
import { addAccountCredit } from './commands/account-credit.ts';
import { addAccountList } from './commands/account-list.ts';
import { addAccountShow } from './commands/account-show.ts';
import { addDoctor } from './commands/doctor.ts';
import { addImageImport } from './commands/image-import.ts';
import { addImageList } from './commands/image-list.ts';
import { addKeyCreate } from './commands/key-create.ts';
import { addKeyList } from './commands/key-list.ts';
import { addKeyRevoke } from './commands/key-revoke.ts';
import { addShieldAttack } from './commands/shield-attack.ts';
import { addShieldStop } from './commands/shield-stop.ts';
import { addTargetAdd } from './commands/target-add.ts';
import { addTargetList } from './commands/target-list.ts';
import { addTargetMode } from './commands/target-mode.ts';
import { addTargetRemove } from './commands/target-remove.ts';
import { addTenantCreate } from './commands/tenant-create.ts';
import { addTenantList } from './commands/tenant-list.ts';
import { addTenantShow } from './commands/tenant-show.ts';
import { Failure } from './failure.ts';
import manifest from './package.json' with { type: 'json' };

const program = new Command('vaubanctl')
  .description(
    'Manages the accounts, the money, the API keys, the DDoS Shield and the images of the Vauban service on this machine.',
  )
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

const tenant = program.command('tenant').description('DDoS Shield tenants of an account');
addTenantCreate(tenant);
addTenantList(tenant);
addTenantShow(tenant);

const target = program.command('target').description('addresses that the DDoS Shield protects');
addTargetAdd(target);
addTargetList(target);
addTargetMode(target);
addTargetRemove(target);

const shield = program.command('shield').description('attacks on the simulated edge');
addShieldAttack(shield);
addShieldStop(shield);

const image = program.command('image').description('disks of which VMs are made');
addImageImport(image);
addImageList(image);

addDoctor(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  for (const line of error.lines) console.error(`vaubanctl: ${line}`);
  process.exitCode = error.exitCode;
}
