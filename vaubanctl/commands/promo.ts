import type { ChangedPromoCredit } from '../../shared/api/operator.ts';
import { group, plain, required } from '../command.ts';
import { LARGE_AMOUNT, largeAmount } from '../confirm.ts';
import { ACCOUNT, AMOUNT, KEY, parseDay } from '../option-values.ts';
import { instant, money, printFields, printTable } from '../output.ts';

const grant = plain('grant', 'grantPromoCredit', {
  about: 'give an account promotional credit, which expires, is spent before money and is never paid out',
  args: { id: ACCOUNT, amount: AMOUNT },
  options: {
    until: required('--until <day>', 'expiry: the start of a day in UTC, or a time', parseDay),
    reason: required('--reason <text>', 'reason'),
    key: KEY,
  },
  question: ({ amount, id }) => largeAmount('Grant', amount!, id),
  yes: LARGE_AMOUNT,
  help: `Examples:
  $ vaubanctl promo grant acc_… 10 --until 2027-01-01 --reason "welcome" --key welcome/acc_…`,
  print,
});

const list = plain('list', 'listPromoCredits', {
  about: 'list promotional credit, newest first',
  args: { account_id: ['[account]', 'only of this account, acc_…'] },
  print: (credits) =>
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
    ),
});

const revoke = plain('revoke', 'revokePromoCredit', {
  about: 'revoke promotional credit now; amounts already spent stay spent',
  args: { id: ['<credit>', 'its id, prm_…'] },
  print,
});

function print(credit: ChangedPromoCredit): void {
  const { id, account_id, currency, wallet } = credit;
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

export const promo = group(
  'promo',
  'promotional credit, which is spent first and never paid out',
  grant,
  list,
  revoke,
);
