import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccountWithKeys } from '../../../../shared/api/operator.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { type Choice, Menu } from '../../ui/Menu.tsx';
import { Page } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { to } from '../links.ts';
import { StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { LimitsDialog } from './LimitsDialog.tsx';
import { MoneyDialog } from './MoneyDialog.tsx';
import { accountTexts } from './texts.ts';
import { accountQuery, useAccountId } from './use-account.ts';

export function AccountPage() {
  const query = useQuery(accountQuery(useAccountId()));
  return <Loaded query={query}>{(account) => <Shown account={account} />}</Loaded>;
}

type Window = 'credit' | 'debit' | 'limits' | 'suspend' | 'close';

function Shown({ account }: { account: AccountWithKeys }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const [open, setOpen] = useState<Window>();
  const close = () => setOpen(undefined);
  const { id, name, status } = account;
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
      <Tabs
        label={name}
        tabs={[
          { label: t.overview, link: to(`/accounts/${id}`) },
          { label: t.money, link: to(`/accounts/${id}/money`) },
        ]}
      />
      <Outlet />
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
