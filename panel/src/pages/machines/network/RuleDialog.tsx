import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { useChange } from '../../../api/queries.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Field } from '../../../ui/Field.tsx';
import { FormRow } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { hasPorts, PortsField, ProtocolSelect } from '../../../ui/RuleFields.tsx';
import { setOf } from './addresses.ts';
import { changesBetween, effectivePolicy, type PolicyRule, parsePorts } from './effective-policy.ts';
import type { FirewallState } from './Firewall.tsx';
import classes from './network.module.css';
import { Changes } from './Policy.tsx';
import { networkTexts } from './texts.ts';

const EVERYONE = '0.0.0.0/0, ::/0';
const FIRST_PRIORITY = 100;

type Protocol = PolicyRule['protocol'];
/** Common services, filled in with one click. */
const COMMON: { label: string; protocol: Protocol; ports: string; note: string }[] = [
  { label: 'SSH', protocol: 'tcp', ports: '22', note: 'SSH' },
  { label: 'HTTP', protocol: 'tcp', ports: '80', note: 'HTTP' },
  { label: 'HTTPS', protocol: 'tcp', ports: '443', note: 'HTTPS' },
  { label: 'HTTP/3', protocol: 'udp', ports: '443', note: 'HTTP/3' },
  { label: 'WireGuard', protocol: 'udp', ports: '51820', note: 'WireGuard' },
  { label: 'PostgreSQL', protocol: 'tcp', ports: '5432', note: 'PostgreSQL' },
];

interface Draft {
  direction: 'in' | 'out';
  action: 'accept' | 'drop';
  protocol: Protocol;
  ports: string;
  cidrs: string;
  priority: string;
  note: string;
}

const EMPTY: Draft = {
  direction: 'in',
  action: 'accept',
  protocol: 'tcp',
  ports: '',
  cidrs: EVERYONE,
  priority: `${FIRST_PRIORITY}`,
  note: '',
};

/** Creates a rule, with a preview of its effect. */
export function RuleDialog({ vm, state, onClose }: { vm: Vm; state: FirewallState; onClose: () => void }) {
  const t = useTexts(networkTexts);
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY);
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const add = useChange('addFirewallRule', {
    changes: ['listEvents'],
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['listFirewallRules'] });
      onClose();
    },
  });
  const cidrs = networksIn(draft.cidrs);
  return (
    <FormDialog
      title={t.addRule}
      wide
      onClose={onClose}
      submit={t.saveRule}
      change={add}
      onSubmit={() =>
        add.mutate({
          params: { id: vm.id },
          body: {
            direction: draft.direction,
            action: draft.action,
            protocol: draft.protocol,
            ports: portsOf(draft),
            cidrs,
            priority: Number(draft.priority),
            description: draft.note.trim() || null,
          },
        })
      }
      below={<Preview draft={draft} cidrs={cidrs} state={state} />}
    >
      <RuleFields draft={draft} set={set} />
    </FormDialog>
  );
}

function RuleFields({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  const t = useTexts(networkTexts);
  return (
    <>
      <div className={classes.common}>
        {COMMON.map(({ label, ...rest }) => (
          <Button key={label} onPress={() => set({ ...rest, direction: 'in', action: 'accept' })}>
            {label}
          </Button>
        ))}
      </div>
      <FormRow>
        <Choice
          label={t.direction}
          isLabelShown
          value={draft.direction}
          onChange={(direction) => set({ direction })}
          options={[
            { value: 'in', label: t.in },
            { value: 'out', label: t.out },
          ]}
        />
        <Choice
          label={t.action}
          isLabelShown
          value={draft.action}
          onChange={(action) => set({ action })}
          options={[
            { value: 'accept', label: t.accept },
            { value: 'drop', label: t.drop },
          ]}
        />
      </FormRow>
      <FormRow>
        <ProtocolSelect
          protocols={PROTOCOLS}
          value={draft.protocol}
          onChange={(protocol) => set({ protocol })}
        />
        <PortsField
          protocol={draft.protocol}
          label={t.ports}
          name="ports"
          value={draft.ports}
          onChange={(ports) => set({ ports })}
          placeholder={t.portsPlaceholder}
          hint={t.portsHint}
        />
      </FormRow>
      <Field
        label={draft.direction === 'in' ? t.sources : t.destinations}
        name="cidrs"
        mono
        rows={2}
        value={draft.cidrs}
        onChange={(text) => set({ cidrs: text })}
        hint={t.cidrsHint}
      />
      <FormRow>
        <Field
          label={t.order}
          name="priority"
          mono
          type="number"
          value={draft.priority}
          onChange={(priority) => set({ priority })}
          hint={t.orderHint}
        />
        <Field
          label={t.note}
          name="description"
          value={draft.note}
          onChange={(note) => set({ note })}
          maxLength={200}
        />
      </FormRow>
    </>
  );
}

const PROTOCOLS: Protocol[] = ['tcp', 'udp', 'icmp', 'icmpv6', 'esp', 'gre', 'any'];

/** Splits a text into networks at commas, semicolons and white space. A single address becomes a network of one. */
function networksIn(text: string): string[] {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((part) => (part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`));
}

/** The rule's ports; null if there are none or the protocol has no ports. */
const portsOf = ({ protocol, ports }: Draft) => (hasPorts(protocol) && ports.trim()) || null;

/** Previews what the rule would change. As in the service, the first rule that matches a packet decides. */
function Preview({ draft, cidrs, state }: { draft: Draft; cidrs: string[]; state: FirewallState }) {
  const t = useTexts(networkTexts);
  const ports = portsOf(draft);
  const isReadable =
    cidrs.length > 0 && setOf(cidrs) !== undefined && (ports === null || parsePorts(ports) !== undefined);
  const text = cidrs.join();
  const { direction, action, protocol, priority } = draft;
  const changes = useMemo(() => {
    if (!isReadable) return [];
    const rule: PolicyRule = {
      id: '~',
      direction,
      action,
      protocol,
      ports,
      cidrs: text.split(',').filter((cidr) => fits(protocol, cidr)),
      priority: Number(priority),
      enabled: true,
      status: 'pending',
      // Sorts after all existing rules of the same priority.
      created_at: '9999',
    };
    const policy = (rules: readonly PolicyRule[]) =>
      effectivePolicy(rules, direction, state.otherwise[direction]).openings;
    return changesBetween(policy(state.rules), policy([...state.rules, rule]));
  }, [isReadable, direction, action, protocol, ports, text, priority, state]);
  return (
    <section className={classes.preview} aria-live="polite" aria-label={t.preview}>
      <h3>{t.preview}</h3>
      {isReadable ? <Changes changes={changes} direction={direction} /> : <Notice>{t.unreadable}</Notice>}
    </section>
  );
}

/** ICMP and ICMPv6 exist in one address family only. The service reports the networks that do not fit. */
const fits = (protocol: Protocol, cidr: string) =>
  protocol === 'icmp' ? !cidr.includes(':') : protocol === 'icmpv6' ? cidr.includes(':') : true;
