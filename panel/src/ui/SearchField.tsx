import field from './Field.module.css';

/** Searches while typing; Escape clears the field. The label is also its placeholder. */
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
    <div className={field.box}>
      <input
        type="search"
        className={field.input}
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onChange('')}
      />
    </div>
  );
}
