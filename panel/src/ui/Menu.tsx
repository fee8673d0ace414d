import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react';
import type { IconName } from './Icon.tsx';

/** Loaded when the first one is about to open. */
const load = () => import('./overlay/MenuList.tsx');
const List = lazy(() => load().then(({ MenuList }) => ({ default: MenuList })));

/** Something to choose in a menu. */
export interface Choice {
  id: string;
  label: ReactNode;
  /** What is read and typed for, where the label is no text. */
  text?: string;
  icon?: IconName;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Ticked: it is how things are now. */
  isCurrent?: boolean;
  onAction: () => void;
}

interface Trigger {
  onPress?: () => void;
  onHoverStart?: () => void;
  'aria-haspopup'?: 'menu';
}

export interface Props {
  /** What opens it: a {@link Button}. */
  trigger: ReactElement<Trigger>;
  label: string;
  choices: Choice[];
  /** Above the choices: whose menu it is. */
  children?: ReactNode;
}

/** A button and what it opens. */
export function Menu(props: Props) {
  const [isAsked, setAsked] = useState(false);
  const button = cloneElement(props.trigger, {
    'aria-haspopup': 'menu',
    onHoverStart: load,
    onPress: () => setAsked(true),
  });
  if (!isAsked) return button;
  return (
    <Suspense fallback={props.trigger}>
      <List {...props} />
    </Suspense>
  );
}
