import { useState } from 'react';
import type { Vm } from '../../api/customer.ts';
import { messageOf } from '../../problems.ts';
import { currentLanguage } from '../../settings.ts';
import { useMay } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { announce } from '../../ui/Status.tsx';
import { canDo, POWER_ACTIONS, type PowerAction } from './actions.ts';
import { pageTexts } from './page-texts.ts';
import { machineTexts } from './texts.ts';
import { usePower } from './use-power.ts';

const ICONS = { start: 'play', stop: 'stop', reboot: 'restart', 'force-stop': 'power' } as const;
/** Actions with their own button; the others are in the menu. */
const SHOWN: readonly PowerAction[] = ['start', 'reboot', 'stop'];

/** The power actions that the machine's state allows. Asks before an action that interrupts the work on it. */
export function PowerButtons({ vm }: { vm: Vm }) {
  const t = useTexts(pageTexts);
  const words = useTexts(machineTexts);
  const may = useMay('vm:write');
  const power = usePower();
  const [asked, setAsked] = useState<PowerAction>();
  const [problem, setProblem] = useState<Error | null>(null);
  const run = async (action: PowerAction) => {
    const { failed } = await power.mutateAsync({ action, machines: [vm] });
    setProblem(failed[0]?.error ?? null);
    if (failed.length === 0) setAsked(undefined);
    else if (action === 'start') announce(messageOf(failed[0]!.error, currentLanguage()), 'bad');
  };
  const ask = (action: PowerAction) => {
    setProblem(null);
    if (action === 'start') void run(action);
    else setAsked(action);
  };
  if (!may) return null;
  const shown = SHOWN.filter((action) => canDo(action, vm));
  return (
    <>
      {shown.map((action) => (
        <Button key={action} isPending={power.isPending && asked === undefined} onPress={() => ask(action)}>
          {words[action]}
        </Button>
      ))}
      <Menu
        label={t.power}
        trigger={<Button icon="more" label={t.power} />}
        choices={POWER_ACTIONS.map((action) => ({
          id: action,
          label: words[action],
          icon: ICONS[action],
          isDanger: action === 'force-stop',
          isDisabled: !canDo(action, vm),
          onAction: () => ask(action),
        }))}
      />
      {asked && (
        <ConfirmDialog
          title={t.askTitle(words[asked], vm.hostname)}
          isOpen
          onClose={() => setAsked(undefined)}
          confirm={words[asked]}
          onConfirm={() => void run(asked)}
          isPending={power.isPending}
          error={problem}
        >
          <p>{t[`${asked}Means` as 'stopMeans']}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
