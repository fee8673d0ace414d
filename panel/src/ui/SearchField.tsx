import { Input } from 'react-aria-components/Input';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
import field from './Field.module.css';

/** Finds something in a list while it is typed; Escape empties it. The label is its placeholder, too. */
export function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className={field.box!}>
      <Input className={field.input} placeholder={label} />
    </AriaSearchField>
  );
}
