import { useTexts } from '../../texts.ts';
import { type Shape, State, type Tone } from '../../ui/Badge.tsx';
import { machineTexts } from './texts.ts';

const LOOKS: Record<string, [Tone, Shape]> = {
  running: ['ok', 'dot'],
  provisioning: ['info', 'ring'],
  starting: ['info', 'ring'],
  stopping: ['info', 'ring'],
  rebooting: ['info', 'ring'],
  resizing: ['info', 'ring'],
  deleting: ['info', 'ring'],
  stopped: ['faint', 'square'],
  suspended: ['warn', 'square'],
  error: ['bad', 'triangle'],
};

export function MachineState({ status }: { status: string }) {
  const t = useTexts(machineTexts);
  const [tone, shape] = LOOKS[status] ?? (['faint', 'square'] as const);
  return (
    <State tone={tone} shape={shape}>
      {wordOf(t, status)}
    </State>
  );
}

/**
 * Returns the text for a value of the API, or the value itself if this page does not know it: the service may be newer.
 */
export function wordOf(texts: Record<string, unknown>, key: string): string {
  const word = texts[key];
  return typeof word === 'string' ? word : key.replaceAll('_', ' ');
}
