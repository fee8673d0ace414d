/** Whom an operation is for: API keys (and sessions in the panel), the panel's pages alone, or operators. */
export type Audience = 'customer' | 'panel' | 'operator';

/** The text about an error in a description. */
export interface ErrorText {
  /** When the error occurs, and how to fix it if that is not obvious. */
  meaning: string;
  /** An example of the message; clients decide by the code. */
  message: string;
  /** The members of `details`, by example. */
  details?: Record<string, unknown>;
}

export interface ErrorEntry extends ErrorText {
  /** The HTTP status. */
  status: number;
  /** The audiences whose operations can return it. */
  seenBy: readonly Audience[];
  /** The differences for the operators' description. */
  operator?: Partial<ErrorText>;
}

export const EVERYONE = ['customer', 'panel', 'operator'] as const;
export const CUSTOMERS = ['customer', 'panel'] as const;
export const PANEL = ['panel'] as const;
export const OPERATORS = ['operator'] as const;
