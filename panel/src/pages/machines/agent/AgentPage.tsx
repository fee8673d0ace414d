import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { AgentStatus } from '../../../api/customer.ts';
import { read, useChange } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Field } from '../../../ui/Field.tsx';
import { Form, FormActions } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { hasTerminal } from '../actions.ts';
import { useMachine } from '../machine-context.ts';
import { machineTexts } from '../texts.ts';
import classes from './agent.module.css';
import { EntryView } from './Entry.tsx';
import { agentTexts } from './texts.ts';
import { type Approval, fromHistory } from './transcript.ts';
import { useAgent } from './use-agent.ts';

const AGAIN_MS = 3_000;
const LONGEST = 8_000;
type Mode = 'dangerous' | 'all' | 'never';

/** The agent's conversation about a machine. It announces each command and asks before dangerous ones. */
export function AgentPage() {
  const vm = useMachine();
  const agent = useAgent(vm.id);
  const status = useQuery({
    ...read('getAgentStatus', { params: { id: vm.id } }),
    // A run that another tab started is followed by polling the stored history.
    refetchInterval: ({ state }) => (state.data?.state === 'running' && !agent.isRunning ? AGAIN_MS : false),
  });
  return <Loaded query={status}>{(known) => <Conversation status={known} agent={agent} />}</Loaded>;
}

function Conversation({ status, agent }: { status: AgentStatus; agent: ReturnType<typeof useAgent> }) {
  const t = useTexts(agentTexts);
  const vm = useMachine();
  const may = useMay('vm:console');
  const mayClear = useMay('vm:write');
  const { transcript, isRunning, run, stop, forget } = agent;
  const history = useKept(status, transcript.entries.length > 0);
  const entries = [...history, ...transcript.entries];
  const approval =
    transcript.approval ??
    pendingOf(status, transcript.stopReason !== null || transcript.entries.length === 0);
  const clear = useChange('clearAgent', { changes: ['getAgentStatus'], onDone: forget });
  const end = useRef<HTMLDivElement>(null);
  const length = JSON.stringify(transcript.entries).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is brought into sight
  useEffect(() => {
    if (isRunning) end.current?.scrollIntoView({ block: 'nearest' });
  }, [length, isRunning]);
  const isBusy = isRunning || status.state === 'running';
  return (
    <Section
      title={t.title}
      description={t.is(status.model.name)}
      actions={
        <>
          {isBusy && (
            <State tone="info" shape="ring">
              {t.works}
            </State>
          )}
          {isRunning && (
            <Button icon="stop" onPress={stop}>
              {t.stop}
            </Button>
          )}
          {mayClear && entries.length > 0 && (
            <Button
              isDisabled={isBusy}
              isPending={clear.isPending}
              onPress={() => clear.mutate({ params: { id: vm.id } })}
            >
              {t.clear}
            </Button>
          )}
        </>
      }
    >
      {entries.length === 0 && <Empty title={t.emptyTitle}>{t.empty}</Empty>}
      <ol className={classes.entries} aria-label={t.conversation}>
        {entries.map((entry) => (
          <EntryView
            key={entry.id}
            entry={entry}
            approval={
              may && !isBusy && entry.kind === 'command' && approval?.commandId === entry.id ? approval : null
            }
            onDecide={(decision) => approval && void run({ approval: { id: approval.id, decision } })}
          />
        ))}
        {approval && !isBusy && may && !entries.some(({ id }) => id === approval.commandId) && (
          <EntryView
            entry={{ ...WAITING, id: approval.commandId, command: approval.command, risk: approval.risk }}
            approval={approval}
            onDecide={(decision) => void run({ approval: { id: approval.id, decision } })}
          />
        )}
      </ol>
      <div ref={end} />
      {may && <Ask agent={agent} isBusy={isBusy} isOn={hasTerminal(vm)} isWaiting={approval !== null} />}
    </Section>
  );
}

const WAITING = {
  kind: 'command',
  reason: '',
  state: 'awaiting',
  output: '',
  truncated: false,
  exitCode: null,
  deniedBy: null,
} as const;

/** The history when this page was opened; everything newer is in the transcript. */
function useKept(status: AgentStatus, hasOwn: boolean) {
  const kept = useRef(status);
  if (!hasOwn) kept.current = status;
  const { history } = kept.current;
  return useMemo(() => fromHistory(history), [history]);
}

function pendingOf(status: AgentStatus, isOver: boolean): Approval | null {
  const pending = status.pending_approval;
  if (!pending || !isOver) return null;
  const { id, command_id, command, risk, expires_at } = pending;
  return { id, commandId: command_id, command, risk, expiresAt: expires_at };
}

function Ask({
  agent,
  isBusy,
  isOn,
  isWaiting,
}: {
  agent: ReturnType<typeof useAgent>;
  isBusy: boolean;
  isOn: boolean;
  isWaiting: boolean;
}) {
  const t = useTexts(agentTexts);
  const words = useTexts(machineTexts);
  const vm = useMachine();
  const [message, setMessage] = useState('');
  const [mode, setMode] = useState<Mode>('dangerous');
  const send = () => {
    if (!message.trim()) return;
    void agent.run({ message: message.trim(), approval_mode: mode });
    setMessage('');
  };
  return (
    <Form error={agent.error} onSubmit={send}>
      <Field
        label={t.ask}
        name="message"
        rows={3}
        maxLength={LONGEST}
        value={message}
        onChange={setMessage}
        placeholder={t.askPlaceholder}
        isDisabled={isBusy || !isOn}
        hint={isOn ? (isWaiting ? t.waitsHint : undefined) : words.noPower(words[vm.status])}
      />
      <FormActions>
        <Button look="main" type="submit" isPending={isBusy} isDisabled={!isOn || !message.trim()}>
          {t.run}
        </Button>
        <Select
          label={t.mode}
          isLabelHidden
          value={mode}
          onChange={setMode}
          options={[
            { value: 'dangerous', label: t.dangerousMode },
            { value: 'all', label: t.allMode },
            { value: 'never', label: t.neverMode },
          ]}
        />
      </FormActions>
    </Form>
  );
}
