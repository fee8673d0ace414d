import { useTexts } from '../../texts.ts';
import { type Shape, State, type Tone } from '../../ui/Badge.tsx';
import { texts } from './texts.ts';

const LOOKS = {
  draft: ['faint', 'ring'],
  open: ['warn', 'ring'],
  paid: ['ok', 'dot'],
  void: ['faint', 'square'],
  pending: ['info', 'ring'],
  processing: ['info', 'ring'],
  succeeded: ['ok', 'dot'],
  completed: ['ok', 'dot'],
  failed: ['bad', 'triangle'],
  refunded: ['faint', 'square'],
  expired: ['faint', 'square'],
  canceled: ['faint', 'square'],
} satisfies Record<string, [Tone, Shape]>;

export type MoneyState = keyof typeof LOOKS;

export function MoneyStateOf({ state }: { state: MoneyState }) {
  const t = useTexts(texts);
  const [tone, shape] = LOOKS[state];
  return (
    <State tone={tone} shape={shape}>
      {t[state]}
    </State>
  );
}
