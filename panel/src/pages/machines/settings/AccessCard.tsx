import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { read, readAll, useChange } from '../../../api/queries.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { textOf } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Facts, Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { announce } from '../../../ui/Status.tsx';
import { Address, CodeBlock } from '../../../ui/Values.tsx';
import { hasTerminal } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import classes from './settings.module.css';
import { settingsTexts } from './texts.ts';

const OTHER = 'other';

/** Access to the machine: passwords, SSH keys and the service's ops key. */
export function AccessCard({ vm }: { vm: Vm }) {
  const t = useTexts(settingsTexts);
  const words = useTexts(machineTexts);
  const [asked, setAsked] = useState<'password' | 'key'>();
  const ops = useQuery(read('getOpsKey'));
  const isReady = hasTerminal(vm) && !vm.locked;
  return (
    <Section
      title={t.access}
      description={t.accessIs}
      actions={
        <>
          <Button icon="key" isDisabled={!isReady} onPress={() => setAsked('key')}>
            {t.attachKey}
          </Button>
          <Button isDisabled={!isReady} onPress={() => setAsked('password')}>
            {t.resetPassword}
          </Button>
        </>
      }
    >
      {!isReady && <p className={classes.note}>{vm.locked ? words.busy : words.noPower(words[vm.status])}</p>}
      <Loaded query={ops} lines={2}>
        {({ name, fingerprint }) => (
          <Facts
            facts={[
              [t.opsKey, name],
              [
                t.fingerprint,
                <Address key="f" what={t.fingerprint}>
                  {fingerprint}
                </Address>,
              ],
              ['', t.opsAttached],
            ]}
          />
        )}
      </Loaded>
      {asked === 'password' && <ResetPassword vm={vm} onClose={() => setAsked(undefined)} />}
      {asked === 'key' && <AttachKey vm={vm} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

function ResetPassword({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const t = useTexts(settingsTexts);
  const reset = useChange('resetPassword', { changes: ['getVm', 'listJobs'] });
  const done = reset.data;
  if (done)
    return (
      <Dialog
        title={t.newPassword}
        isOpen
        isKept
        onClose={onClose}
        footer={
          <Button look="main" onPress={onClose}>
            {t.haveIt}
          </Button>
        }
      >
        <Notice kind="warn">{t.passwordOnce(done.username)}</Notice>
        <CodeBlock what={t.newPassword}>{done.password}</CodeBlock>
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={t.resetTitle(vm.hostname)}
      isOpen
      onClose={onClose}
      confirm={t.resetPassword}
      isPending={reset.isPending}
      error={reset.error}
      onConfirm={() => reset.mutate({ params: { id: vm.id }, body: {} })}
    >
      <p>{t.resetMeans}</p>
    </ConfirmDialog>
  );
}

function AttachKey({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const t = useTexts(settingsTexts);
  const keys = useQuery(readAll('listSshKeys', { query: {} }));
  const [chosen, setChosen] = useState<string>();
  const attach = useChange('attachSshKey', {
    changes: ['getVm', 'listJobs'],
    onDone: () => {
      announce(t.keyOnTheWay);
      onClose();
    },
  });
  const key = chosen ?? keys.data?.[0]?.id ?? OTHER;
  return (
    <FormDialog
      title={t.attachKey}
      onClose={onClose}
      submit={t.attachKey}
      change={attach}
      onSubmit={(values) =>
        attach.mutate({
          params: { id: vm.id },
          body: key === OTHER ? { public_key: textOf(values, 'public_key').trim() } : { ssh_key_id: key },
        })
      }
    >
      <Loaded query={keys} lines={2}>
        {(stored) => (
          <>
            <Select
              label={t.key}
              value={key}
              onChange={setChosen}
              options={[
                ...stored.map(({ id, name, fingerprint }) => ({ value: id, label: name, hint: fingerprint })),
                { value: OTHER, label: t.otherKey },
              ]}
            />
            {key === OTHER && (
              <Field
                label={t.publicKey}
                name="public_key"
                mono
                rows={4}
                placeholder="ssh-ed25519 AAAA…"
                isRequired
              />
            )}
            <p className={classes.note}>{t.attachMeans}</p>
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}
