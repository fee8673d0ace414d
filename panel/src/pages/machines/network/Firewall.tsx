import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { addressOf, answerOf, callAll } from '../../../api/client.ts';
import type { FirewallRule, Vm } from '../../../api/customer.ts';
import { useChange } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Badge, State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Section } from '../../../ui/Page.tsx';
import { type Column, deleteColumn, Table } from '../../../ui/Table.tsx';
import { Mono } from '../../../ui/Values.tsx';
import { canConfigure } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import { changesBetween, effectivePolicy, inOrder, type Verdict } from './effective-policy.ts';
import classes from './network.module.css';
import { Changes, Policy } from './Policy.tsx';
import { RuleDialog } from './RuleDialog.tsx';
import { networkTexts } from './texts.ts';

/** Polling interval while a rule is not yet in force. */
const SETTLING_MS = 1_500;

export interface FirewallState {
  rules: FirewallRule[];
  otherwise: { in: Verdict; out: Verdict };
}

const LOOKS = {
  pending: ['info', 'ring'],
  active: ['ok', 'dot'],
  removing: ['info', 'ring'],
  error: ['bad', 'triangle'],
} as const;

export function useFirewall(id: string) {
  return useQuery({
    queryKey: ['listFirewallRules', 'all', id],
    queryFn: async ({ signal }): Promise<FirewallState> => {
      const input = { params: { id }, query: {} };
      const [rules, first] = await Promise.all([
        callAll('listFirewallRules', input, { signal }),
        fetch(addressOf('listFirewallRules', { ...input, query: { limit: 1 } }), { signal }).then(
          answerOf<FirewallRule[]>,
        ),
      ]);
      return {
        rules,
        otherwise: (first as unknown as { default_policy: FirewallState['otherwise'] }).default_policy,
      };
    },
    refetchInterval: ({ state }) =>
      state.data?.rules.some(({ status }) => status === 'pending' || status === 'removing')
        ? SETTLING_MS
        : false,
  });
}

export function Firewall({ vm }: { vm: Vm }) {
  const t = useTexts(networkTexts);
  const may = useMay('vm:write') && canConfigure(vm);
  const query = useFirewall(vm.id);
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Section
      title={t.firewall}
      description={t.firewallIs}
      actions={
        may && (
          <Button look="main" icon="plus" isDisabled={!query.data} onPress={() => setIsAdding(true)}>
            {t.addRule}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={5}>
        {(state) => (
          <>
            <div className={classes.policies}>
              <Policy state={state} direction="in" />
              <Policy state={state} direction="out" />
            </div>
            <Rules vm={vm} state={state} may={may} />
            {isAdding && <RuleDialog vm={vm} state={state} onClose={() => setIsAdding(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Rules({ vm, state, may }: { vm: Vm; state: FirewallState; may: boolean }) {
  const t = useTexts(networkTexts);
  const words = useTexts(machineTexts);
  const [deleted, setDeleted] = useState<FirewallRule>();
  const { rows, idle } = useMemo(() => {
    const ordered = (['in', 'out'] as const).flatMap((direction) => inOrder(state.rules, direction));
    const others = state.rules.filter((rule) => !ordered.includes(rule));
    const policies = (['in', 'out'] as const).map((direction) =>
      effectivePolicy(state.rules, direction, state.otherwise[direction]),
    );
    return { rows: [...ordered, ...others], idle: new Set(policies.flatMap((policy) => [...policy.idle])) };
  }, [state]);
  const columns: Column<FirewallRule>[] = [
    { id: 'priority', title: t.order, narrow: 'hide', cell: ({ priority }) => <Mono>{priority}</Mono> },
    { id: 'direction', title: t.direction, narrow: 'hide', cell: ({ direction }) => t[direction] },
    {
      id: 'what',
      title: t.what,
      narrow: 'title',
      cell: (rule) => (
        <>
          <State
            tone={rule.action === 'accept' ? 'ok' : 'bad'}
            shape={rule.action === 'accept' ? 'dot' : 'square'}
          >
            {t[rule.action]}
          </State>{' '}
          <Mono>
            {rule.protocol === 'any'
              ? t.anything
              : `${rule.protocol.toUpperCase()}${rule.ports ? ` ${rule.ports}` : ''}`}
          </Mono>
        </>
      ),
    },
    {
      id: 'peers',
      title: t.peers,
      cell: ({ cidrs }) => (
        <Mono>
          {cidrs.length > 4 ? `${cidrs.slice(0, 4).join(', ')} +${cidrs.length - 4}` : cidrs.join(', ')}
        </Mono>
      ),
    },
    { id: 'note', title: t.note, cell: ({ description }) => description },
    {
      id: 'status',
      title: t.status,
      narrow: 'line',
      cell: (rule) => (
        <>
          {rule.enabled ? (
            <State tone={LOOKS[rule.status][0]} shape={LOOKS[rule.status][1]}>
              {t[rule.status]}
            </State>
          ) : (
            <State tone="faint" shape="square">
              {t.disabled}
            </State>
          )}{' '}
          {idle.has(rule.id) && <Badge tone="warn">{t.idle}</Badge>}
        </>
      ),
    },
    deleteColumn<FirewallRule>(
      () => t.deleteRule,
      setDeleted,
      ({ status }) => may && status !== 'removing',
    ),
  ];
  return (
    <>
      <Table
        label={t.rules}
        rows={rows}
        keyOf={({ id }) => id}
        columns={columns}
        empty={<Empty title={t.noRules}>{t.noRulesHint}</Empty>}
      />
      {deleted && (
        <DeleteRule
          vm={vm}
          rule={deleted}
          state={state}
          onClose={() => setDeleted(undefined)}
          confirm={words.delete}
        />
      )}
    </>
  );
}

/** Asks before deleting a rule and shows what that opens and closes. */
function DeleteRule({
  vm,
  rule,
  state,
  onClose,
  confirm,
}: {
  vm: Vm;
  rule: FirewallRule;
  state: FirewallState;
  onClose: () => void;
  confirm: string;
}) {
  const t = useTexts(networkTexts);
  const client = useQueryClient();
  const remove = useChange('deleteFirewallRule', {
    changes: ['listEvents'],
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['listFirewallRules'] });
      onClose();
    },
  });
  const changes = useMemo(() => {
    const { direction } = rule;
    const policy = (rules: FirewallRule[]) =>
      effectivePolicy(rules, direction, state.otherwise[direction]).openings;
    return changesBetween(policy(state.rules), policy(state.rules.filter(({ id }) => id !== rule.id)));
  }, [rule, state]);
  return (
    <ConfirmDialog
      title={t.deleteRuleTitle}
      isOpen
      onClose={onClose}
      confirm={confirm}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: vm.id, rule_id: rule.id } })}
    >
      <Changes changes={changes} direction={rule.direction} />
    </ConfirmDialog>
  );
}
