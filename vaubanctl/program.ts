import { Command } from 'commander';
import { account } from './commands/account.ts';
import { adjustment } from './commands/adjustment.ts';
import { books } from './commands/books.ts';
import { cluster } from './commands/cluster.ts';
import { completion } from './commands/completion.ts';
import { document } from './commands/document.ts';
import { exports } from './commands/export.ts';
import { host } from './commands/host.ts';
import { image } from './commands/image.ts';
import { invoice } from './commands/invoice.ts';
import { job } from './commands/job.ts';
import { key } from './commands/key.ts';
import { mail } from './commands/mail.ts';
import { operator } from './commands/operator.ts';
import { opsKey } from './commands/ops-key.ts';
import { order } from './commands/order.ts';
import { orphan } from './commands/orphan.ts';
import { outage } from './commands/outage.ts';
import { payment } from './commands/payment.ts';
import { person } from './commands/person.ts';
import { promo } from './commands/promo.ts';
import { secret } from './commands/secret.ts';
import { audit, doctor, log, overview } from './commands/service.ts';
import { shield } from './commands/shield.ts';
import { target } from './commands/target.ts';
import { tenant } from './commands/tenant.ts';
import { vm } from './commands/vm.ts';
import manifest from './package.json' with { type: 'json' };

export const program = new Command('vaubanctl')
  .description(
    'Manages the accounts, the money, the API keys, the VMs, the DDoS Shield and the images of the Vauban service on this machine.',
  )
  .version(manifest.version)
  .option('--data-dir <dir>', "the service's data directory (default: $VAUBAN_DATA_DIR, else ./data)")
  .option('--socket <path>', "the service's operator socket (default: vauban.sock in the data directory)")
  .option('--json', 'print JSON, for scripts')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `
Exit status: 0 done, 1 refused or wrong usage, 2 the service cannot be reached.

Examples:
  $ vaubanctl account create --name "Example Ltd"
  $ vaubanctl account credit acc_… 50.00 --reference "transfer 4711"
  $ vaubanctl key create acc_… --name deploy --scopes vm:read,vm:write --expires 90d`,
  );

// In the order of the help.
for (const add of [
  account,
  payment,
  promo,
  adjustment,
  outage,
  order,
  invoice,
  document,
  key,
  operator,
  person,
  vm,
  tenant,
  target,
  shield,
  job,
  orphan,
  host,
  cluster,
  image,
  mail,
  secret,
  opsKey,
  books,
  exports,
  overview,
  audit,
  log,
  doctor,
  completion,
])
  add(program);
