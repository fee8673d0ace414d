import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react';
import type { Props as ButtonProps } from './Button.tsx';
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

export interface Props {
  /** What opens it: a {@link Button}. */
  trigger: ReactElement<ButtonProps>;
  label: string;
  choices: Choice[];
  /** Above the choices: whose menu it is. */
  children?: ReactNode;
}

/** A button and what it opens. */
export function Menu(props: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {cloneElement(props.trigger, {
        ref: button,
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onHoverStart: load,
        onPress: () => setOpen(true),
      })}
      {isOpen && (
        <Suspense>
          <List {...props} button={button} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
