import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccountWithKeys } from '../../api/operator.ts';
import { read, useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { type Choice, Menu } from '../../ui/Menu.tsx';
import { Card, Columns, Facts, Figure, Page, Section, Stack } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Address, DateOf, Money } from '../../ui/Values.tsx';
import { StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { AccountKeys, AccountMachines, Members } from './AccountTables.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';
import { MoneyDialog } from './MoneyDialog.tsx';
import { Corrections, Statement } from './Moves.tsx';
import { accountTexts } from './texts.ts';

/** One account: what it has, who is in it, and what can be done about it. */
export function AccountPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(read('operator.getAccount', { params: { id } }));
  return <Loaded query={query}>{(account) => <Shown account={account} />}</Loaded>;
}

type Window = 'credit' | 'debit' | 'limits' | 'suspend' | 'close';

function Shown({ account }: { account: AccountWithKeys }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const [open, setOpen] = useState<Window>();
  const close = () => setOpen(undefined);
  const { id, name, status, wallet, currency } = account;
  const isOpen = status !== 'closed';
  return (
    <Page
      title={name}
      aside={<StateOf state={status} />}
      actions={
        isOpen && (
          <>
            <Button icon="plus" onPress={() => setOpen('credit')}>
              {own.creditGo}
            </Button>
            <Button onPress={() => setOpen('debit')}>{own.debitGo}</Button>
            <More account={account} onOpen={setOpen} />
          </>
        )
      }
    >
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
        <Section title={own.corrections} description={own.correctionsWhy}>
          <Corrections id={id} />
        </Section>
        <Section title={own.statement} description={own.statementWhy}>
          <Statement id={id} />
        </Section>
      </Stack>
      {(open === 'credit' || open === 'debit') && (
        <MoneyDialog account={account} type={open} onClose={close} />
      )}
      {open === 'limits' && <LimitsDialog account={account} onClose={close} />}
      <Suspend account={account} isOpen={open === 'suspend'} onClose={close} />
      <Close account={account} isOpen={open === 'close'} onClose={close} />
    </Page>
  );
}

const CHANGED = ['operator.getAccount', 'operator.listAccounts', 'operator.getOverview'] as const;

function More({ account, onOpen }: { account: AccountWithKeys; onOpen: (which: Window) => void }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const params = { id: account.id };
  const changes = [...CHANGED];
  const resume = useChange('operator.resumeAccount', { changes, onDone: () => announce(own.resumed) });
  const smtp = useChange('operator.setAccountSmtp', { changes, onDone: () => announce(t.done) });
  const isSuspended = account.status === 'suspended';
  const isMailOpen = account.smtp === 'open';
  const fail = (error: Error) => announce(error.message, 'bad');
  const choices: Choice[] = [
    { id: 'limits', label: own.limits, icon: 'edit', onAction: () => onOpen('limits') },
    {
      id: 'smtp',
      label: isMailOpen ? own.smtpClose : own.smtpAllow,
      icon: 'mail',
      onAction: () => smtp.mutate({ params, body: { open: !isMailOpen } }, { onError: fail }),
    },
    isSuspended
      ? {
          id: 'resume',
          label: own.resume,
          icon: 'play',
          onAction: () => resume.mutate({ params }, { onError: fail }),
        }
      : {
          id: 'suspend',
          label: own.suspend,
          icon: 'stop',
          isDanger: true,
          onAction: () => onOpen('suspend'),
        },
    { id: 'close', label: own.close, icon: 'trash', isDanger: true, onAction: () => onOpen('close') },
  ];
  return <Menu label={t.actions} trigger={<Button icon="more" label={t.actions} />} choices={choices} />;
}

interface DialogProps {
  account: AccountWithKeys;
  isOpen: boolean;
  onClose: () => void;
}

function Suspend({ account, isOpen, onClose }: DialogProps) {
  const own = useTexts(accountTexts);
  const suspend = useChange('operator.suspendAccount', { changes: [...CHANGED], onDone: onClose });
  return (
    <ConfirmDialog
      title={own.suspendTitle(account.name)}
      isOpen={isOpen}
      onClose={onClose}
      confirm={own.suspend}
      onConfirm={() => suspend.mutate({ params: { id: account.id }, body: {} })}
      isPending={suspend.isPending}
      error={suspend.error}
    >
      <p>{own.suspendWhy}</p>
    </ConfirmDialog>
  );
}

function Close({ account, isOpen, onClose }: DialogProps) {
  const own = useTexts(accountTexts);
  const close = useChange('operator.closeAccount', { changes: [...CHANGED], onDone: onClose });
  return (
    <ConfirmDialog
      title={own.closeTitle(account.name)}
      isOpen={isOpen}
      onClose={onClose}
      confirm={own.close}
      onConfirm={() => close.mutate({ params: { id: account.id } })}
      isPending={close.isPending}
      error={close.error}
      word={account.name}
    >
      <p>{own.closeWhy}</p>
    </ConfirmDialog>
  );
}
