import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AttackEvent, ShieldTarget } from '../../api/customer.ts';
import { read, readAll } from '../../api/queries.ts';
import { formatBytes, formatNumber, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Badge, State } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Empty, Facts, Section } from '../../ui/Page.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import tones from '../../ui/tones.module.css';
import { TimeOf } from '../../ui/Values.tsx';
import { formatRate, formatSeconds } from '../machines/formats.ts';
import { AGAIN_MS, lookWhile, SEVERITY_TONES } from './looks.ts';
import classes from './shield.module.css';
import { TrafficChart } from './Traffic.tsx';
import { shieldTexts } from './texts.ts';
import { timelineOf, windowAround } from './timeline.ts';

const COLOURS = {
  noticed: 'bad',
  mitigated: 'ok',
  peak_bps: 'warn',
  peak_pps: 'warn',
  ended: 'faint',
  now: 'info',
} as const;
/** Points of the chart of an attack. The service accepts no step below ten seconds. */
const POINTS = 240;
const LEAST_STEP = 10;

export function Attacks({ tid, target }: { tid: string; target: ShieldTarget }) {
  const t = useTexts(shieldTexts);
  const locale = useLocale();
  const [chosen, setChosen] = useState<string>();
  const query = useQuery({
    ...readAll('listAttackEvents', { params: { tid, id: target.id }, query: {} }),
    refetchInterval: ({ state }) => lookWhile(state.data?.some(({ status }) => status === 'ongoing')),
  });
  const vectors = (attack: AttackEvent) => attack.vectors.map((vector) => t[vector]).join(', ');
  const columns: Column<AttackEvent>[] = [
    { id: 'vectors', title: t.kind, narrow: 'title', cell: vectors },
    {
      id: 'status',
      title: t.state,
      narrow: 'aside',
      cell: ({ status }) =>
        status === 'ongoing' ? (
          <State tone="bad" shape="triangle">
            {t.ongoing}
          </State>
        ) : (
          <State tone="faint" shape="square">
            {t.over}
          </State>
        ),
    },
    {
      id: 'severity',
      title: t.severity,
      cell: ({ severity }) => <Badge tone={SEVERITY_TONES[severity]}>{t[severity]}</Badge>,
    },
    { id: 'started', title: t.began, cell: ({ started_at }) => <TimeOf at={started_at} /> },
    {
      id: 'took',
      title: t.took,
      align: 'end',
      cell: ({ duration_seconds }) => formatSeconds(duration_seconds),
    },
    {
      id: 'peak',
      title: t.peak,
      align: 'end',
      cell: ({ peak_bps }) => formatRate(peak_bps.value, 'bit/s', 1000, locale),
    },
    {
      id: 'dropped',
      title: t.dropped,
      align: 'end',
      cell: ({ dropped_bytes }) => formatBytes(dropped_bytes, locale),
    },
    {
      id: 'do',
      title: '',
      align: 'end',
      cell: ({ id }) => (
        <Button look="quiet" onPress={() => setChosen(id)}>
          {t.show}
        </Button>
      ),
    },
  ];
  return (
    <Section title={t.attackList}>
      <Loaded query={query} lines={3}>
        {(attacks) => {
          const shown = attacks.find(({ id }) => id === chosen) ?? attacks[0];
          return (
            <>
              {shown && <AttackStory tid={tid} attack={shown} name={vectors(shown)} />}
              <Table
                label={t.attackList}
                rows={attacks}
                keyOf={({ id }) => id}
                columns={columns}
                isMarked={({ id }) => attacks.length > 1 && id === shown?.id}
                empty={<Empty title={t.noAttacks}>{t.noAttacksHint}</Empty>}
              />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** An attack over its traffic: when it was noticed and mitigated, its peaks and its end. */
function AttackStory({ tid, attack, name }: { tid: string; attack: AttackEvent; name: string }) {
  const t = useTexts(shieldTexts);
  const locale = useLocale();
  const now = new Date();
  const moments = timelineOf(attack, now);
  const traffic = useQuery({
    queryKey: ['getEdgeTraffic', 'attack', tid, attack.id],
    queryFn: ({ client, signal }) => {
      const { from, to } = windowAround(attack, new Date());
      const step = Math.max(
        LEAST_STEP,
        Math.ceil((Date.parse(to) - Date.parse(from)) / 1000 / POINTS / 10) * 10,
      );
      const { queryFn } = read('getEdgeTraffic', {
        params: { tid },
        query: { target_id: attack.target_id, from, to, step },
      });
      return (queryFn as (context: object) => Promise<Parameters<typeof TrafficChart>[0]['series']>)({
        client,
        signal,
      });
    },
    refetchInterval: attack.status === 'ongoing' ? AGAIN_MS : false,
  });
  const marks = moments.map(({ kind, at }) => ({ at: Date.parse(at) / 1000, colour: COLOURS[kind] }));
  return (
    <Card
      title={`${name}, ${attack.reason}`}
      actions={<Badge tone={SEVERITY_TONES[attack.severity]}>{t[attack.severity]}</Badge>}
    >
      <ol className={classes.timeline}>
        {moments.map(({ kind, at, after, value }) => (
          <li key={kind} className={tones[COLOURS[kind]]}>
            <b>{t[kind]}</b>
            {value !== null && (
              <span>{formatRate(value, kind === 'peak_bps' ? 'bit/s' : 'pps', 1000, locale)}</span>
            )}
            <small>
              {after === 0 && kind === 'noticed' ? <TimeOf at={at} /> : t.after(formatSeconds(after))}
            </small>
          </li>
        ))}
      </ol>
      <Loaded query={traffic}>{(series) => <TrafficChart series={series} unit="bps" marks={marks} />}</Loaded>
      <Facts
        facts={[
          [
            t.kept,
            `${formatBytes(attack.dropped_bytes, locale)}, ${t.packetsCount(formatNumber(attack.dropped_packets, locale))}`,
          ],
          [t.took, formatSeconds(attack.duration_seconds)],
        ]}
      />
    </Card>
  );
}
