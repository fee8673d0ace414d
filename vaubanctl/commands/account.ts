import { Argument } from 'commander';
import type { Account } from '../../shared/api/operator.ts';
import { type Add, group, plain, required } from '../command.ts';
import { contextOf } from '../context.ts';
import { ACCOUNT, collectLimit, collectName } from '../option-values.ts';
import { instant, money, print, printFields, printJson, printTable } from '../output.ts';
import { billingProfile } from './account-billing-profile.ts';
import { credit, debit, statement } from './account-money.ts';
import { printKeys } from './key.ts';

const create = plain('create', 'createAccount', {
  about: 'create an account with an empty wallet',
  options: {
    name: required('--name <name>', 'name of the account'),
    currency: ['--currency <code>', "the catalog's currency, the only one possible"],
    limits: ['--limit <name=number>', "a quota that differs from the catalog's; repeatable", collectLimit],
  },
  help: `Examples:
  $ vaubanctl account create --name "Example Ltd"
  $ vaubanctl account create --name "Example Ltd" --limit vms=50 --limit vcpu=200`,
  print: printAccount,
});

const list = plain('list', 'listAccounts', {
  about: 'list all accounts, newest first',
  options: {
    search: [
      '--search <text>',
      "only accounts with this id, or with this text in their name or a member's address",
    ],
  },
  print: (accounts) =>
    printTable(
      ['ID', 'NAME', 'STATUS', 'AVAILABLE>', 'HELD>', 'VMS>', 'CREATED'],
      accounts.map(({ id, name, status, currency, wallet, vm_count, created_at }) => [
        id,
        name,
        status,
        money(wallet.available_minor, currency),
        money(wallet.held_minor, currency),
        String(vm_count),
        instant(created_at),
      ]),
    ),
});

const show = plain('show', 'getAccount', {
  about: 'show an account with its wallet, limits and keys',
  args: { id: ACCOUNT },
  print: (account) => {
    printAccount(account);
    if (account.keys.length === 0) return;
    print();
    printKeys(account.keys);
  },
});

const members = plain('members', 'listMembers', {
  about: 'list the people who sign in to an account',
  args: { id: ACCOUNT },
  print: (people) =>
    printTable(
      ['EMAIL', 'NAME', 'ROLE', 'SINCE'],
      people.map(({ email, name, role, created_at }) => [email, name ?? '-', role, instant(created_at)]),
    ),
});

const limits: Add = (parent) => {
  parent
    .command('limits')
    .description('show the quotas of an account, or change them')
    .argument(...ACCOUNT)
    .option('--set <name=number>', 'an individual quota; repeatable', collectLimit)
    .option('--reset <name>', "reset to the catalog's quota; repeatable", collectName)
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account limits acc_…
  $ vaubanctl account limits acc_… --set vms=100 --set vcpu=400 --reset ram_mb`,
    )
    .action(
      async (
        id: string,
        { set = {}, reset = [] }: { set?: Record<string, number>; reset?: string[] },
        command,
      ) => {
        const { client, json } = contextOf(command);
        const changed = { ...set, ...Object.fromEntries(reset.map((name) => [name, null])) };
        const account =
          Object.keys(changed).length > 0
            ? await client.call('setAccountLimits', { id, limits: changed })
            : await client.call('getAccount', { id });
        if (json) return printJson(account.limits);
        printFields(
          Object.fromEntries(Object.entries(account.limits).map(([name, value]) => [name, String(value)])),
        );
      },
    );
};

const smtp: Add = (parent) => {
  parent
    .command('smtp')
    .description('open or close outgoing mail (port 25) for the VMs of an account')
    .argument(...ACCOUNT)
    .addArgument(
      new Argument('<state>', 'closed is the default for every account').choices(['open', 'closed']),
    )
    .addHelpText(
      'after',
      `
Ports 465 and 587, for sending mail through a provider, are always open. Established connections stay open.

Examples:
  $ vaubanctl account smtp acc_… open
  $ vaubanctl account smtp acc_… closed`,
    )
    .action(async (id: string, state: Account['smtp'], _: object, command) => {
      const { client, json } = contextOf(command);
      const account = await client.call('setAccountSmtp', { id, open: state === 'open' });
      if (json) return printJson(account);
      print(
        `Outbound SMTP of ${account.id} (${account.name}) is ${account.smtp}, for running VMs within moments.`,
      );
    });
};

const suspend = plain('suspend', 'suspendAccount', {
  about: 'restrict the keys of an account to reading, and end their open sessions',
  args: { id: ACCOUNT },
  options: { stop_vms: ['--stop-vms', 'power off its running VMs as well'] },
  question: ({ id, stop_vms }) => (stop_vms ? `Power off all running VMs of ${id}?` : undefined),
  yes: 'do not ask for confirmation before stopping VMs',
  help: `VMs keep running and renewing unless they are stopped. "vaubanctl account resume" ends the suspension.

Examples:
  $ vaubanctl account suspend acc_…
  $ vaubanctl account suspend acc_… --stop-vms`,
  print: (account) => {
    print(`${account.id} (${account.name}) is suspended.`);
    if (!('stopped' in account)) return;
    print(`VMs being stopped: ${account.stopped.length}`);
    if (account.left.length > 0) print(`Busy, will be stopped later: ${account.left.join(' ')}`);
  },
});

const resume = plain('resume', 'resumeAccount', {
  about: 'end the suspension of an account, so that its keys have all their permissions again',
  args: { id: ACCOUNT },
  print: ({ id, name }) =>
    print(`${id} (${name}) is active. VMs that were stopped stay off until they are started.`),
});

const close = plain('close', 'closeAccount', {
  about: 'close an account permanently; it must have neither VMs nor money',
  args: { id: ACCOUNT },
  question: ({ id }) => `Close ${id} permanently, and revoke its keys?`,
  print: ({ id, name }) => print(`${id} (${name}) is closed.`),
});

function printAccount(account: Account): void {
  const { id, name, status, currency, wallet, vm_count, smtp, created_at } = account;
  printFields({
    id,
    name,
    status,
    available: money(wallet.available_minor, currency),
    promotional: money(wallet.promo_minor, currency),
    held: money(wallet.held_minor, currency),
    owed: money(wallet.claimed_minor, currency),
    vms: String(vm_count),
    limits: Object.entries(account.limits)
      .map(([limit, value]) => `${limit}=${value}`)
      .join(' '),
    smtp,
    created: instant(created_at),
  });
}

export const account = group(
  'account',
  'accounts and their wallets',
  ...[create, list, show, members, statement, credit, debit, limits, billingProfile],
  ...[smtp, suspend, resume, close],
);
