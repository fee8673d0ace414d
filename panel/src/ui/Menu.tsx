import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useRef, useState } from 'react';
import type { Props as ButtonProps } from './Button.tsx';
import type { IconName } from './Icon.tsx';

/** Loaded when the first menu is about to open. */
const load = () => import('./overlay/MenuList.tsx');
const List = lazy(() => load().then(({ MenuList }) => ({ default: MenuList })));

export interface Choice {
  id: string;
  label: ReactNode;
  /** The text for screen readers and type-ahead if the label is not plain text. */
  text?: string;
  icon?: IconName;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Ticked because it is the current setting. */
  isCurrent?: boolean;
  onAction: () => void;
}

export interface Props {
  /** The {@link Button} that opens the menu. */
  trigger: ReactElement<ButtonProps>;
  label: string;
  choices: Choice[];
  /** Shown above the items, such as the name of the menu's owner. */
  children?: ReactNode;
}

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
