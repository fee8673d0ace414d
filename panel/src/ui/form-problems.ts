import { createContext, type FormEvent, useContext, useEffect, useRef, useState } from 'react';

/** The service's problem for each field of a form, by field name. */
export const FormProblems = createContext<Record<string, string>>({});

type Control = HTMLInputElement | HTMLTextAreaElement;

/**
 * Returns the problem of a field, if any: the service's until the field is changed, and the browser's or that of
 * `check` when the form is submitted. Spread the returned attributes on the input.
 */
export function useProblem(
  name: string | undefined,
  value: string | undefined,
  check: ((value: string) => string | null | undefined) | undefined,
) {
  const input = useRef<Control>(null);
  const problems = useContext(FormProblems);
  const [seen, setSeen] = useState<Record<string, string>>();
  const [own, setOwn] = useState('');
  // The page may change the value of a controlled field without anyone typing.
  useEffect(() => {
    input.current?.setCustomValidity(check?.(value ?? input.current.value) ?? '');
  });
  const said = name !== undefined && problems !== seen ? problems[name] : undefined;
  const problem = said || own;
  return {
    problem,
    attributes: {
      ref: (element: Control | null) => {
        input.current = element;
      },
      name,
      'aria-invalid': problem ? (true as const) : undefined,
      onInvalid: (event: FormEvent<Control>) => {
        // Shown below the field rather than in a bubble that disappears.
        event.preventDefault();
        setOwn(event.currentTarget.validationMessage);
      },
    },
    /** Must be called for every change: the problem may be solved. */
    touched: () => {
      // Immediately, because an uncontrolled field does not render again when its value changes.
      const { current } = input;
      current?.setCustomValidity(check?.(current.value) ?? '');
      setSeen(problems);
      setOwn('');
    },
  };
}
