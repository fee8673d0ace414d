import type { SshKey } from '../../api/customer.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Mono } from '../../ui/Values.tsx';
import classes from './KeyChoice.module.css';

export function KeyChoice({
  keys,
  chosen,
  onChange,
}: {
  keys: readonly SshKey[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const toggle = (id: string) =>
    onChange(chosen.includes(id) ? chosen.filter((key) => key !== id) : [...chosen, id]);
  return (
    <div className={classes.keys}>
      {keys.map(({ id, name, fingerprint }) => (
        <Checkbox
          key={id}
          isSelected={chosen.includes(id)}
          onChange={() => toggle(id)}
          hint={<Mono>{fingerprint}</Mono>}
        >
          {name}
        </Checkbox>
      ))}
    </div>
  );
}
