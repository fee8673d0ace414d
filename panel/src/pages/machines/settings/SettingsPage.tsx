import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Notice } from '../../../ui/Notice.tsx';
import { Stack } from '../../../ui/Page.tsx';
import { useMachine } from '../machine-context.ts';
import { machineTexts } from '../texts.ts';
import { AccessCard } from './AccessCard.tsx';
import { DeleteMachine } from './DeleteMachine.tsx';
import { Rebuild } from './Rebuild.tsx';
import { Renewal } from './Renewal.tsx';

/** Settings that rarely change, and at the end the actions that cannot be undone. */
export function SettingsPage() {
  const words = useTexts(machineTexts);
  const vm = useMachine();
  const may = useMay('vm:write');
  const mayDestroy = useMay('vm:destroy');
  return (
    <Stack>
      {!may && <Notice>{words.viewer}</Notice>}
      {may && <Renewal vm={vm} />}
      {may && <AccessCard vm={vm} />}
      {may && <Rebuild vm={vm} />}
      {mayDestroy && <DeleteMachine vm={vm} />}
    </Stack>
  );
}
