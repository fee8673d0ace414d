import { type FormEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { ApiError } from '../api/errors.ts';
import { fieldText } from '../problems.ts';
import { type Language, useLanguage } from '../settings.ts';
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
  const fields = error instanceof ApiError ? error.fields : [];
  // What is wrong with an element of a list, such as `cidrs.2`, is said at the field that holds the list.
  const language = useLanguage();
  const problems = useMemo(() => problemsOf(error, language), [error, language]);
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
    <form
      ref={form}
      id={id}
      className={inline ? classes.inline : classes.form}
      onSubmit={submit}
      onInvalidCapture={({ target }) => {
        if (target === form.current?.querySelector(':invalid')) (target as HTMLElement).focus();
      }}
    >
      {isGeneral && (
        <Problem error={error}>
          {unnamed.length > 0
            ? unnamed.map((each) => (
                <span key={each.field}>{`${each.field}: ${fieldText(each, language)}`}</span>
              ))
            : explain?.(error)}
        </Problem>
      )}
      <FormProblems value={problems}>{children}</FormProblems>
    </form>
  );
}

/** Of an entry of a list the field is the list: "allowed_ips.0" is about `allowed_ips`. */
const listOf = (field: string) => field.split('.', 1)[0]!;

function problemsOf(error: Error | null | undefined, language: Language): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.fields.flatMap((problem) => {
      const text = fieldText(problem, language);
      return [
        [listOf(problem.field), text],
        [problem.field, text],
      ];
    }),
  );
}

function hasField(form: HTMLFormElement | null, name: string): boolean {
  return form?.elements.namedItem(name) != null || form?.elements.namedItem(listOf(name)) != null;
}

/** Fields side by side, where there is room. */
export function FormRow({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
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

/** What a field of type `datetime-local` holds, which is in the time of the reader, as an instant in UTC. */
export const instantOf = (values: FormData, name: string) => new Date(textOf(values, name)).toISOString();
