import { useState } from 'react';
import type { Target } from '../../../shared/api/operator.ts';
import { useChange } from '../api/queries.ts';
import { formatNumber } from '../format.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { textOf } from '../ui/Form.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { texts } from './texts.ts';

const MEGABIT = 1_000_000;

/** The traffic above which a target counts as under attack, and a form to change it. */
export function Threshold({ target }: { target: Target }) {
  const t = useTexts(texts);
  const [isChanging, setChanging] = useState(false);
  const { threshold, threshold_in_force: now } = target;
  const isSet = threshold.pps !== null || threshold.bps !== null;
  const inForce =
    `${formatNumber(now.pps)} pps, ${formatNumber(now.bps / MEGABIT)} Mbit/s ` +
    `(${isSet ? t.thresholdSet : t.thresholdLearnt})`;
  return (
    <>
      <Button
        look="quiet"
        label={`${t.thresholdOf(target.ip)}: ${inForce}`}
        onPress={() => setChanging(true)}
      >
        {inForce}
      </Button>
      {isChanging && <ThresholdDialog target={target} onClose={() => setChanging(false)} />}
    </>
  );
}

/**
 * Returns null for an empty field, so that the threshold is learned. Returns NaN for anything but a number above 0, so
 * that a typo is not mistaken for an empty field.
 */
function numberOf(text: string): number | null {
  const written = text.trim().replace(',', '.');
  return written === ''
    ? null
    : /^\d{1,15}(\.\d{1,6})?$/.test(written) && Number(written) > 0
      ? Number(written)
      : NaN;
}

function ThresholdDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const t = useTexts(texts);
  const { id, ip, threshold, threshold_in_force: now } = target;
  const change = useChange('operator.setTargetThreshold', {
    changes: ['operator.listAllTargets'],
    onDone: onClose,
  });
  const set = (pps: number | null, bps: number | null) =>
    change.mutate({ params: { id }, body: { pps, bps } });
  const check = (text: string) => (Number.isNaN(numberOf(text)) ? t.thresholdNumber : undefined);
  const scaled = (text: string, unit: number) =>
    numberOf(text) === null ? null : Math.round(numberOf(text)! * unit);
  return (
    <FormDialog
      title={t.thresholdOf(ip)}
      onClose={onClose}
      submit={t.thresholdSave}
      change={change}
      onSubmit={(values) => set(scaled(textOf(values, 'pps'), 1), scaled(textOf(values, 'bps'), MEGABIT))}
      below={
        <Button look="quiet" onPress={() => set(null, null)} isPending={change.isPending}>
          {t.thresholdClear}
        </Button>
      }
    >
      <p>{t.thresholdWhy}</p>
      <Field
        label={t.thresholdPps}
        name="pps"
        mono
        autoFocus
        autoComplete="off"
        inputMode="numeric"
        validate={check}
        defaultValue={threshold.pps === null ? '' : String(threshold.pps)}
        placeholder={String(now.pps)}
      />
      <Field
        label={t.thresholdMbps}
        name="bps"
        mono
        autoComplete="off"
        inputMode="decimal"
        validate={check}
        defaultValue={threshold.bps === null ? '' : String(threshold.bps / MEGABIT)}
        placeholder={String(Math.round(now.bps / MEGABIT))}
      />
    </FormDialog>
  );
}
