import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { addressOf, answerOf } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { EventReader } from './stream.ts';
import { EMPTY, follow, type Transcript } from './transcript.ts';

/** A task for the agent, or the decision on a command that awaits approval. */
export type AgentRequest =
  | { message: string; approval_mode: 'dangerous' | 'all' | 'never' }
  | { approval: { id: string; decision: 'approve' | 'deny' } };

/**
 * A run of the agent and its stream of events. Leaving the page lets the current command finish and starts no other.
 */
export function useAgent(id: string) {
  const client = useQueryClient();
  const [transcript, setTranscript] = useState<Transcript>(EMPTY);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const run = useCallback(
    async (request: AgentRequest) => {
      const own = new AbortController();
      running.current = own;
      setIsRunning(true);
      setError(null);
      if ('message' in request)
        setTranscript((now) => ({
          ...now,
          entries: [...now.entries, { kind: 'user', id: `own-${now.entries.length}`, text: request.message }],
        }));
      try {
        await stream(id, request, own.signal, (event) => setTranscript((now) => follow(now, event)));
      } catch (failure) {
        if (!own.signal.aborted) setError(failure as Error);
      } finally {
        if (!own.signal.aborted) {
          setIsRunning(false);
          await client.invalidateQueries({ queryKey: ['getAgentStatus'] });
        }
      }
    },
    [id, client],
  );
  const stop = useCallback(() => {
    running.current?.abort();
    setIsRunning(false);
    void client.invalidateQueries({ queryKey: ['getAgentStatus'] });
  }, [client]);
  const forget = useCallback(() => setTranscript(EMPTY), []);
  return { transcript, isRunning, error, run, stop, forget };
}

async function stream(
  id: string,
  body: AgentRequest,
  signal: AbortSignal,
  onEvent: (event: Parameters<typeof follow>[1]) => void,
): Promise<void> {
  const response = await fetch(addressOf('runAgent', { params: { id } }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || !response.body) {
    await answerOf(response);
    throw new ApiError('unreachable', 'The service cannot be reached.');
  }
  const reader = new EventReader();
  const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done } = await pieces.read();
    if (done) return;
    for (const event of reader.read(value)) onEvent(event);
  }
}
