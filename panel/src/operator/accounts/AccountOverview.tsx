import type { ReactNode } from 'react';
import type { AccountWithKeys } from '../../../../shared/api/operator.ts';
import { useTexts } from '../../texts.ts';
import { Card, Columns, Facts, Figure, Section, Stack } from '../../ui/Page.tsx';
import { Address, DateOf, Money } from '../../ui/Values.tsx';
import { texts } from '../texts.ts';
import { AccountKeys, AccountMachines, Members } from './AccountTables.tsx';
import { accountTexts } from './texts.ts';
import { useAccount } from './use-account.ts';

export function AccountOverview() {
  const account = useAccount();
  return account && <Shown account={account} />;
}

function Shown({ account }: { account: AccountWithKeys }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const { id, wallet, currency } = account;
  const owed: [string, ReactNode] = [
    own.owed,
    <Money key="owed" minor={wallet.claimed_minor} currency={currency} />,
  ];
  return (
    <Stack>
      <Columns>
        <Card title={own.wallet}>
          <Figure label={own.available}>
            <Money minor={wallet.available_minor} currency={currency} />
          </Figure>
          <Facts
            facts={[
              [own.held, <Money key="held" minor={wallet.held_minor} currency={currency} />],
              [own.promotional, <Money key="promo" minor={wallet.promo_minor} currency={currency} />],
              ...(wallet.claimed_minor > 0 ? [owed] : []),
            ]}
          />
        </Card>
        <Card title={own.about}>
          <Facts
            facts={[
              [
                t.id,
                <Address key="id" what={t.id}>
                  {id}
                </Address>,
              ],
              [t.since, <DateOf key="since" at={account.created_at} />],
              [t.machines, `${account.vm_count} / ${account.limits.vms}`],
              ['vCPU', String(account.limits.vcpu)],
              ['RAM', `${account.limits.ram_mb / 1024} GB`],
              [own.disk, `${account.limits.disk_gb} GB`],
              [own.smtp, account.smtp === 'open' ? own.smtpOpen : own.smtpClosed],
            ]}
          />
        </Card>
      </Columns>
      <Section title={t.machines}>
        <AccountMachines id={id} />
      </Section>
      <Section title={own.members}>
        <Members id={id} />
      </Section>
      <Section title={own.keys}>
        <AccountKeys keys={account.keys} />
      </Section>
    </Stack>
  );
}
