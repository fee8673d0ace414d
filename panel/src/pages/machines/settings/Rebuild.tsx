import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Snapshot, Vm } from '../../../api/customer.ts';
import { readAll, useChange } from '../../../api/queries.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { announce } from '../../../ui/Status.tsx';
import { CodeBlock } from '../../../ui/Values.tsx';
import { KeyChoice } from '../KeyChoice.tsx';
import { useCatalog } from '../names.ts';
import classes from './settings.module.css';
import { settingsTexts } from './texts.ts';

/** Reinstalls the machine from an image; it keeps its addresses. */
export function Rebuild({ vm }: { vm: Vm }) {
  const t = useTexts(settingsTexts);
  const { data: catalog } = useCatalog();
  const [chosen, setChosen] = useState(vm.template);
  const [isAsked, setIsAsked] = useState(false);
  const [password, setPassword] = useState<string>();
  const images = catalog?.templates.filter(({ available, deprecated }) => available && !deprecated) ?? [];
  const image = images.find(({ code }) => code === chosen) ?? images[0];
  const isReady = !vm.locked && ['running', 'stopped', 'error'].includes(vm.status);
  return (
    <Section title={t.rebuild} description={t.rebuildIs}>
      <div className={classes.row}>
        <Select
          label={t.image}
          isLabelHidden
          value={image?.code ?? null}
          onChange={setChosen}
          options={images.map(({ code, name, min_disk_gb, min_ram_mb }) => ({
            value: code,
            label: name,
            isDisabled: min_disk_gb > vm.disk_gb || min_ram_mb > vm.ram_mb,
          }))}
        />
        <Button look="danger" isDisabled={!isReady || !image} onPress={() => setIsAsked(true)}>
          {t.rebuild}
        </Button>
      </div>
      {isAsked && image && (
        <AskRebuild
          vm={vm}
          template={image.code}
          onClose={() => setIsAsked(false)}
          onPassword={setPassword}
        />
      )}
      <Dialog
        title={t.newPassword}
        isOpen={password !== undefined}
        isKept
        onClose={() => setPassword(undefined)}
        footer={
          <Button look="main" onPress={() => setPassword(undefined)}>
            {t.haveIt}
          </Button>
        }
      >
        <Notice kind="warn">{t.passwordOnce(image?.default_user ?? 'root')}</Notice>
        <CodeBlock what={t.newPassword}>{password ?? ''}</CodeBlock>
      </Dialog>
    </Section>
  );
}

/** A snapshot in error was never taken or is being deleted, so nothing is lost with it. */
const isUsable = ({ status }: Snapshot) => status !== 'error';

/** Lists what is lost, including the snapshots by name, and asks for the machine's name. */
function AskRebuild({
  vm,
  template,
  onClose,
  onPassword,
}: {
  vm: Vm;
  template: string;
  onClose: () => void;
  onPassword: (password: string) => void;
}) {
  const t = useTexts(settingsTexts);
  const snapshots = useQuery(readAll('listSnapshots', { params: { id: vm.id }, query: {} }));
  const keys = useQuery(readAll('listSshKeys', { query: {} }));
  /** The keys that replace the machine's; undefined to keep them. */
  const [chosen, setChosen] = useState<string[]>();
  const rebuild = useChange('rebuildVm', {
    changes: ['getVm', 'listJobs', 'listSnapshots'],
    onDone: ({ initial_password }) => {
      announce(t.rebuilding);
      if (initial_password) onPassword(initial_password);
      onClose();
    },
  });
  const delete_snapshots = (snapshots.data ?? []).some(isUsable);
  return (
    <ConfirmDialog
      title={t.rebuildTitle(vm.hostname)}
      isOpen
      onClose={onClose}
      confirm={t.rebuild}
      // Until the snapshots are loaded, no typed word is accepted: the customer cannot know what would be lost.
      word={snapshots.data ? vm.hostname : ' '}
      isPending={rebuild.isPending}
      error={rebuild.error}
      onConfirm={() =>
        rebuild.mutate({
          params: { id: vm.id },
          body: { template, delete_snapshots, ...(chosen && { ssh_key_ids: chosen }) },
        })
      }
    >
      <Loaded query={snapshots} lines={2}>
        {(all) => (
          <div className={classes.lost}>
            <p>{t.rebuildMeans}</p>
            {all.some(isUsable) && (
              <ul>
                {all.filter(isUsable).map(({ id, name }) => (
                  <li key={id}>
                    <span>{t.snapshot}</span> <b>{name}</b>
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
      <div className={classes.lost}>
        <Choice
          label={t.sshKeys}
          isLabelShown
          value={chosen ? 'others' : 'same'}
          onChange={(value) =>
            setChosen(value === 'same' ? undefined : (keys.data ?? []).map(({ id }) => id))
          }
          options={[
            { value: 'same', label: t.sameKeys },
            { value: 'others', label: t.otherKeys },
          ]}
        />
        {chosen && (
          <Loaded query={keys} lines={2}>
            {(all) => <KeyChoice keys={all} chosen={chosen} onChange={setChosen} />}
          </Loaded>
        )}
        {chosen?.length === 0 && <p>{t.passwordInstead}</p>}
      </div>
    </ConfirmDialog>
  );
}
