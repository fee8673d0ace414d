import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { useTexts } from '../texts.ts';
import { State, type Tone } from '../ui/Badge.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { More } from '../ui/More.tsx';
import { Problem } from '../ui/Notice.tsx';
import { Page, Stack } from '../ui/Page.tsx';
import { type Option, Select } from '../ui/Select.tsx';
import { to } from './links.ts';
import { texts } from './texts.ts';

/** Returns the typed search text, and the query of it once the typing pauses. */
export function useSearchText() {
  const [text, setText] = useState('');
  const settled = useDeferredValue(text.trim());
  return { text, setText, query: settled ? { search: settled } : {} };
}

/** A link to an account; shows the short id if no name is given. */
export function AccountLink({ id, children }: { id: string; children?: ReactNode }) {
  return <Link {...to(`/accounts/${id}`)}>{children ?? <code>{shortId(id)}</code>}</Link>;
}

export function MachineLink({ id, children }: { id: string; children?: ReactNode }) {
  return <Link {...to(`/machines/${id}`)}>{children ?? <code>{shortId(id)}</code>}</Link>;
}

/** The end of an id, which tells it apart from others. */
export const shortId = (id: string) => `${id.slice(0, id.indexOf('_') + 1)}…${id.slice(-6)}`;

const LOOKS: Record<string, readonly [Tone, 'dot' | 'ring' | 'square' | 'triangle']> = {
  active: ['ok', 'dot'],
  up: ['ok', 'dot'],
  draining: ['info', 'ring'],
  evacuated: ['faint', 'square'],
  unreachable: ['bad', 'triangle'],
  ok: ['ok', 'dot'],
  sent: ['ok', 'dot'],
  succeeded: ['ok', 'dot'],
  clean: ['ok', 'dot'],
  pending: ['info', 'ring'],
  running: ['info', 'ring'],
  mitigating: ['shield', 'ring'],
  suspended: ['warn', 'square'],
  limited: ['warn', 'triangle'],
  expired: ['faint', 'square'],
  canceled: ['faint', 'square'],
  closed: ['faint', 'square'],
  ended: ['faint', 'square'],
  completed: ['ok', 'dot'],
  credited: ['ok', 'dot'],
  paid: ['ok', 'dot'],
  open: ['warn', 'ring'],
  crediting: ['info', 'ring'],
  failed: ['bad', 'triangle'],
  missing: ['bad', 'triangle'],
  under_attack: ['bad', 'triangle'],
  ongoing: ['bad', 'triangle'],
};

export function StateOf({ state }: { state: string }) {
  const t: Record<string, unknown> = useTexts(texts);
  const [tone, shape] = LOOKS[state] ?? (['faint', 'square'] as const);
  const word = t[`state_${state}`];
  return (
    <State tone={tone} shape={shape}>
      {typeof word === 'string' ? word : state.replaceAll('_', ' ')}
    </State>
  );
}

/** A page with one list that is filtered by status. */
export function StatePage<State extends string, Row>({
  title,
  states,
  state,
  onState,
  query,
  error,
  children,
}: {
  title: string;
  states: Option<State>[];
  state: State;
  onState: (state: State) => void;
  query: UseInfiniteQueryResult<Row[]>;
  /** The error of an action on one of the rows. */
  error: Error | null;
  children: (rows: Row[]) => ReactNode;
}) {
  const t = useTexts(texts);
  return (
    <Page title={title}>
      <Stack>
        <Select label={t.state} isLabelHidden options={states} value={state} onChange={onState} />
        {error && <Problem error={error} />}
        <Loaded query={query}>{children}</Loaded>
        <More query={query} />
      </Stack>
    </Page>
  );
}
