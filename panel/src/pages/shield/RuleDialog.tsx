import { useState } from 'react';
import type { ShieldTarget } from '../../api/customer.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Choice } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { FormRow, textOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { hasPorts, PortsField, ProtocolSelect } from '../../ui/RuleFields.tsx';
import { Select } from '../../ui/Select.tsx';
import { shieldTexts } from './texts.ts';

const PROTOCOLS = ['any', 'tcp', 'udp', 'icmp', 'icmpv6', 'gre', 'esp', 'ah'] as const;
type Protocol = (typeof PROTOCOLS)[number];
const FRAGMENTS = ['any', 'only', 'none'] as const;
const HOUR_MS = 3_600_000;
/** The lifetime of a rule in hours; 0 means no end. */
const ENDS = { never: 0, hour: 1, day: 24, week: 168 } as const;
const ENDINGS = ['never', 'hour', 'day', 'week'] as const;

/** The choices; the text fields keep their own values. */
interface Draft {
  action: 'block' | 'rate_limit';
  protocol: Protocol;
  unit: 'pps' | 'bps';
  fragments: (typeof FRAGMENTS)[number];
  ends: keyof typeof ENDS;
  isAll: boolean;
}

const FIRST: Draft = {
  action: 'block',
  protocol: 'udp',
  unit: 'pps',
  fragments: 'any',
  ends: 'never',
  isAll: false,
};

/**
 * Creates a rule at the network edge. A rule without any restriction needs an extra confirmation, because it blocks
 * everyone.
 */
export function RuleDialog({
  tid,
  target,
  onClose,
}: {
  tid: string;
  target: ShieldTarget;
  onClose: () => void;
}) {
  const t = useTexts(shieldTexts);
  const [draft, setDraft] = useState(FIRST);
  const add = useChange('addShieldRule', {
    changes: ['listShieldRules', 'listShieldTargets'],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={t.addRuleFor(target.ip)}
      wide
      onClose={onClose}
      submit={t.saveRule}
      change={add}
      onSubmit={(values) => add.mutate({ params: { tid, id: target.id }, body: bodyOf(draft, values) })}
    >
      <ActionFields draft={draft} set={(change) => setDraft({ ...draft, ...change })} />
      <MatchFields
        draft={draft}
        set={(change) => setDraft({ ...draft, ...change })}
        example={target.family === 4 ? '203.0.113.0/24' : '2001:db8::/32'}
      />
    </FormDialog>
  );
}

function bodyOf(draft: Draft, values: FormData) {
  const { action, protocol, unit, fragments, ends, isAll } = draft;
  const list = (name: string) =>
    textOf(values, name)
      .split(/[\s,;]+/)
      .filter(Boolean);
  const rate = Number(textOf(values, 'rate'));
  const until = new Date(Date.now() + ENDS[ends] * HOUR_MS).toISOString();
  return {
    action,
    protocol,
    source: textOf(values, 'source').trim() || null,
    ...(hasPorts(protocol) && {
      source_ports: list('source_ports'),
      destination_ports: list('destination_ports'),
    }),
    fragments,
    ...(action === 'rate_limit' && { rate: unit === 'pps' ? { pps: rate } : { bps: rate } }),
    priority: Number(textOf(values, 'priority')),
    comment: textOf(values, 'comment').trim() || null,
    expires_at: ends === 'never' ? null : until,
    ...(isAll && { confirm_block_all: true }),
  };
}

interface Part {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function ActionFields({ draft, set }: Part) {
  const t = useTexts(shieldTexts);
  return (
    <FormRow>
      <Choice
        label={t.what}
        isLabelShown
        value={draft.action}
        onChange={(action) => set({ action })}
        options={[
          { value: 'block', label: t.block },
          { value: 'rate_limit', label: t.rateLimit },
        ]}
      />
      {draft.action === 'rate_limit' && (
        <>
          <Field label={t.rate} name="rate" mono type="number" isRequired />
          <Choice
            label={t.unit}
            isLabelShown
            value={draft.unit}
            onChange={(unit) => set({ unit })}
            options={[
              { value: 'pps', label: t.packets },
              { value: 'bps', label: t.bits },
            ]}
          />
        </>
      )}
    </FormRow>
  );
}

function MatchFields({ draft, set, example }: Part & { example: string }) {
  const t = useTexts(shieldTexts);
  const { protocol } = draft;
  return (
    <>
      <FormRow>
        <ProtocolSelect protocols={PROTOCOLS} value={protocol} onChange={(next) => set({ protocol: next })} />
        <Field label={t.source} name="source" mono placeholder={example} hint={t.sourceHint} />
      </FormRow>
      <FormRow>
        <PortsField protocol={protocol} label={t.sourcePorts} name="source_ports" placeholder="53, 123" />
        <PortsField
          protocol={protocol}
          label={t.destinationPorts}
          name="destination_ports"
          placeholder="80, 1000-2000"
        />
      </FormRow>
      <FormRow>
        <Select
          label={t.fragments}
          value={draft.fragments}
          onChange={(fragments) => set({ fragments })}
          options={FRAGMENTS.map((value) => ({ value, label: t[`fragments_${value}`] }))}
        />
        <Select
          label={t.ends}
          value={draft.ends}
          onChange={(ends) => set({ ends })}
          options={ENDINGS.map((value) => ({ value, label: t[`ends_${value}`] }))}
        />
      </FormRow>
      <FormRow>
        <Field label={t.order} name="priority" mono type="number" defaultValue="100" hint={t.orderHint} />
        <Field label={t.comment} name="comment" maxLength={200} />
      </FormRow>
      <Checkbox isSelected={draft.isAll} onChange={(isAll) => set({ isAll })} hint={t.blockAllHint}>
        {t.blockAll}
      </Checkbox>
    </>
  );
}
