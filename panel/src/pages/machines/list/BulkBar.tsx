import { useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Explanation, Notice } from '../../../ui/Notice.tsx';
import { announce } from '../../../ui/Status.tsx';
import { POWER_ACTIONS, type PowerAction, thoseThatCan } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import { type PowerResult, usePower } from '../use-power.ts';
import classes from './list.module.css';
import { listTexts } from './texts.ts';

/** The actions on the selected machines, each with the number of machines that it applies to. */
export function BulkBar({ machines, onDone }: { machines: readonly Vm[]; onDone: () => void }) {
  const t = useTexts(listTexts);
  const words = useTexts(machineTexts);
  const power = usePower();
  const [asked, setAsked] = useState<PowerAction>();
  const [failed, setFailed] = useState<PowerResult['failed']>([]);
  const run = async (action: PowerAction) => {
    const result = await power.mutateAsync({ action, machines: thoseThatCan(action, machines) });
    setAsked(undefined);
    setFailed(result.failed);
    if (result.done.length > 0) announce(t.asked(result.done.length, words[action]));
    if (result.failed.length === 0) onDone();
  };
  return (
    <>
      {machines.length > 0 && (
        <div className={classes.bulk} role="toolbar" aria-label={t.chosen(machines.length)}>
          <strong>{t.chosen(machines.length)}</strong>
          {POWER_ACTIONS.map((action) => {
            const able = thoseThatCan(action, machines).length;
            return (
              <Button
                key={action}
                isDisabled={able === 0 || power.isPending}
                onPress={() => (action === 'start' ? void run(action) : setAsked(action))}
              >
                {able > 0 && able < machines.length ? `${words[action]} (${able})` : words[action]}
              </Button>
            );
          })}
          <Button look="quiet" onPress={onDone}>
            {t.chooseNone}
          </Button>
        </div>
      )}
      {failed.length > 0 && (
        <Notice kind="bad" title={t.someFailed}>
          <ul>
            {failed.map(({ machine, error }) => (
              <li key={machine.id}>
                {machine.hostname}: <Explanation error={error} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {asked && (
        <ConfirmDialog
          title={t.askTitle(words[asked], thoseThatCan(asked, machines).length)}
          isOpen
          onClose={() => setAsked(undefined)}
          confirm={words[asked]}
          onConfirm={() => void run(asked)}
          isPending={power.isPending}
        >
          <p>{t[`${asked}Means` as 'stopMeans']}</p>
          <ul className={classes.names}>
            {thoseThatCan(asked, machines).map(({ id, hostname }) => (
              <li key={id}>{hostname}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}
