import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ShieldRule, ShieldTarget } from '../../api/customer.ts';
import { readAll, useChange } from '../../api/queries.ts';
import { useLocale } from '../../format.ts';
import { useMay } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Badge, State } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Empty, Section } from '../../ui/Page.tsx';
import { type Column, deleteColumn, Table } from '../../ui/Table.tsx';
import { Ago, Mono } from '../../ui/Values.tsx';
import { formatRate } from '../machines/formats.ts';
import { machineTexts } from '../machines/texts.ts';
import { lookWhile, RULE_LOOKS } from './looks.ts';
import { matchOf } from './match.ts';
import { RuleDialog } from './RuleDialog.tsx';
import { shieldTexts } from './texts.ts';

/** Rules for traffic that the edge drops before it reaches the machine. */
export function Rules({ tid, target }: { tid: string; target: ShieldTarget }) {
  const t = useTexts(shieldTexts);
  const words = useTexts(machineTexts);
  const may = useMay('shield:write');
  const [isAdding, setIsAdding] = useState(false);
  const [deleted, setDeleted] = useState<ShieldRule>();
  const query = useQuery({
    ...readAll('listShieldRules', { params: { tid, id: target.id }, query: {} }),
    refetchInterval: ({ state }) =>
      lookWhile(target.status !== 'clean' || state.data?.some(({ status }) => status === 'pending')),
  });
  const remove = useChange('deleteShieldRule', {
    changes: ['listShieldRules', 'listShieldTargets'],
    onDone: () => setDeleted(undefined),
  });
  const ask = (rule: ShieldRule) => {
    remove.reset();
    setDeleted(rule);
  };
  const columns = useColumns(may, ask);
  return (
    <Section
      title={t.rules}
      description={t.rulesAre}
      actions={
        may && (
          <Button look="main" icon="plus" onPress={() => setIsAdding(true)}>
            {t.addRule}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={3}>
        {(rules) => (
          <Table
            label={t.rules}
            rows={rules.toSorted(
              (a, b) => a.priority - b.priority || a.created_at.localeCompare(b.created_at),
            )}
            keyOf={({ id }) => id}
            columns={columns}
            empty={<Empty title={t.noRules}>{t.noRulesHint}</Empty>}
          />
        )}
      </Loaded>
      {isAdding && <RuleDialog tid={tid} target={target} onClose={() => setIsAdding(false)} />}
      <ConfirmDialog
        title={t.deleteRuleTitle}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        confirm={words.delete}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => deleted && remove.mutate({ params: { tid, id: target.id, rid: deleted.id } })}
      >
        <p>{t.deleteRuleMeans}</p>
        {deleted && (
          <p>
            <Mono>{matchOf(deleted, t)}</Mono>
          </p>
        )}
      </ConfirmDialog>
    </Section>
  );
}

function useColumns(may: boolean, onDelete: (rule: ShieldRule) => void): Column<ShieldRule>[] {
  const t = useTexts(shieldTexts);
  const locale = useLocale();
  const rate = (rule: ShieldRule) => {
    if (!rule.rate) return t.block;
    return t.limitTo(
      'pps' in rule.rate
        ? formatRate(rule.rate.pps, 'pps', 1000, locale)
        : formatRate(rule.rate.bps, 'bit/s', 1000, locale),
    );
  };
  return [
    { id: 'priority', title: t.order, narrow: 'hide', cell: ({ priority }) => <Mono>{priority}</Mono> },
    {
      id: 'what',
      title: t.what,
      narrow: 'title',
      cell: (rule) => (
        <State
          tone={rule.action === 'block' ? 'bad' : 'warn'}
          shape={rule.action === 'block' ? 'square' : 'triangle'}
        >
          {rate(rule)}
        </State>
      ),
    },
    { id: 'match', title: t.match, cell: (rule) => <Mono>{matchOf(rule, t)}</Mono> },
    {
      id: 'comment',
      title: t.comment,
      cell: ({ comment, origin }) => (
        <>
          {origin === 'automatic' && <Badge tone="shield">{t.automatic}</Badge>} {comment}
        </>
      ),
    },
    { id: 'ends', title: t.ends, cell: ({ expires_at }) => (expires_at ? <Ago at={expires_at} /> : t.never) },
    {
      id: 'status',
      title: t.state,
      cell: ({ status, enabled }) =>
        enabled ? (
          <State tone={RULE_LOOKS[status][0]} shape={RULE_LOOKS[status][1]}>
            {t[`rule_${status}`]}
          </State>
        ) : (
          <State tone="faint" shape="square">
            {t.disabled}
          </State>
        ),
    },
    deleteColumn(
      () => t.deleteRule,
      onDelete,
      () => may,
    ),
  ];
}
