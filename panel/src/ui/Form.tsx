import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components/Form';
import { ApiError } from '../api/errors.ts';
import classes from './Form.module.css';
import { FormProblems } from './form-problems.ts';
import { Problem } from './Notice.tsx';

export interface Props {
  children: ReactNode;
  onSubmit: (values: FormData) => void;
  /** Why what was sent before was refused. */
  error?: Error | null;
  /** The words for a refusal that names no field; what the service says, in their absence. */
  explain?: (error: Error) => ReactNode;
  id?: string;
  /** Side by side where there is room. */
  inline?: boolean;
}

/** A form whose fields say what the service had against them. What names no field of it is said above. */
export function Form({ children, onSubmit, error, explain, id, inline }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const fields = useMemo(() => (error instanceof ApiError ? error.fields : []), [error]);
  // What is wrong with an element of a list, such as `cidrs.2`, is said at the field that holds the list.
  const mended = useMended(error);
  // The same object while the problems are: another one would be taken for another refusal, of what was mended since.
  const problems = useMemo(
    () =>
      Object.fromEntries(
        fields
          .flatMap(({ field, message }) => [
            [field, message],
            [listOf(field), message],
          ])
          .filter(([field]) => !mended.names.has(field!)),
      ),
    [fields, mended.names],
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  // Who cannot see the fields is led to the first that is wrong.
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  const unnamed = fields.filter(({ field }) => !hasField(form.current, field));
  const isGeneral = error && (fields.length === 0 || unnamed.length > 0);
  return (
    <AriaForm
      ref={form}
      id={id}
      className={inline ? classes.inline : classes.form}
      validationErrors={problems}
      onSubmit={submit}
    >
      {isGeneral && (
        <Problem error={error}>
          {unnamed.length > 0
            ? unnamed.map(({ field, message }) => <span key={field}>{`${field}: ${message}`}</span>)
            : explain?.(error)}
        </Problem>
      )}
      <div className={classes.fields} onInput={mended.add}>
        <FormProblems value={problems}>{children}</FormProblems>
      </div>
    </AriaForm>
  );
}

/**
 * Fields that were typed into since they were found wrong: what was said of them is taken away while they are typed
 * into. When they are left it would be too late, for what moves up then is missed by the press that left them.
 */
function useMended(error: Error | null | undefined) {
  const [mended, setMended] = useState<{ error?: Error | null; names: ReadonlySet<string> }>({ names: NONE });
  const names = mended.error === error ? mended.names : NONE;
  const add = ({ target }: FormEvent) => {
    const { name } = target as HTMLInputElement;
    if (error && !names.has(name)) setMended({ error, names: new Set([...names, name]) });
  };
  return { names, add };
}

const NONE: ReadonlySet<string> = new Set();

const listOf = (field: string) => field.split('.', 1)[0]!;

function hasField(form: HTMLFormElement | null, name: string): boolean {
  return form?.elements.namedItem(name) != null || form?.elements.namedItem(listOf(name)) != null;
}

/** The buttons below a form: the main one first. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}

/** A value of a submitted form as text; empty where it was left out. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === 'string' ? value : '';
}
