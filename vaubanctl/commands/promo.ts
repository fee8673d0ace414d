import type { Command } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { contextOf } from '../context.ts';
import type { ChangedPromoCredit } from '../operator-api.ts';
import { KEY, parseDay } from '../option-values.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';

interface GrantOptions {
  until: string;
  reason: string;
  key?: string;
  yes?: boolean;
}

export function addPromoGrant(parent: Command): void {
  parent
    .command('grant')
    .description(
      'give an account promotional credit, which expires, is spent before money and is never paid out',
    )
    .argument('<account>', 'id of the account, acc_…')
    .argument('<amount>', 'such as 50 or 49.90, in the currency of the catalog')
    .requiredOption('--until <day>', 'expiry: the start of a day in UTC, or a time', parseDay)
    .requiredOption('--reason <text>', 'reason')
    .option(...KEY)
    .option('--yes', 'do not ask for confirmation of a large amount')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl promo grant acc_… 10 --until 2027-01-01 --reason "welcome" --key welcome/acc_…`,
    )
    .action(async (id: string, amount: string, options: GrantOptions, command: Command) => {
      const { until, reason, key, yes } = options;
      await confirmAmount('Grant', amount, id, yes);
      const { client, json } = contextOf(command);
      const body = { amount, until, reason, key };
      print(await client.post('/accounts/{id}/promo-credits', { params: { id }, body }), json);
    });
}

export function addPromoList(parent: Command): void {
  parent
    .command('list')
    .description('list promotional credit, newest first')
    .argument('[account]', 'only of this account, acc_…')
    .action(async (account: string | undefined, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const credits = await client.list('/promo-credits', { query: { account_id: account } });
      if (json) return printJson(credits);
      printTable(
        ['ID', 'ACCOUNT', 'AMOUNT>', 'LEFT>', 'STATUS', 'UNTIL', 'REASON', 'BY'],
        credits.map((credit) => [
          credit.id,
          credit.account_id,
          money(credit.amount_minor, credit.currency),
          money(credit.remaining_minor, credit.currency),
          credit.status,
          instant(credit.expires_at),
          credit.reason,
          credit.actor,
        ]),
      );
    });
}

export function addPromoRevoke(parent: Command): void {
  parent
    .command('revoke')
    .description('revoke promotional credit now; amounts already spent stay spent')
    .argument('<credit>', 'its id, prm_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      print(await client.post('/promo-credits/{id}/revoke', { params: { id } }), json);
    });
}

function print(credit: ChangedPromoCredit, json: boolean): void {
  const { id, account_id, currency, wallet } = credit;
  if (json) printJson(credit);
  else
    printFields({
      id,
      account: account_id,
      amount: money(credit.amount_minor, currency),
      left: money(credit.remaining_minor, currency),
      status: credit.status,
      until: instant(credit.expires_at),
      reason: credit.reason,
      available: money(wallet.available_minor, currency),
      promotional: money(wallet.promo_minor, currency),
    });
}
