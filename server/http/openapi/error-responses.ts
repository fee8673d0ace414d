import { ERROR_STATUS, type ErrorCode, type ErrorDetails } from '../../platform/errors.ts';
import { headers } from './components.ts';
import type { Example, JsonSchema, Reference, Response } from './document.ts';

/** What the reference says about one error code. */
export interface ErrorGuide {
  /** When it is answered, and what to do where that is not obvious. */
  meaning: string;
  /** A message as the service may word it; clients decide by the code. */
  message: string;
  /** The members that `details` has for this code. */
  details?: ErrorDetails;
}

/** What one of the APIs says of its errors. */
export interface ErrorVocabulary {
  /** Every code that it answers. */
  guide: Partial<Record<ErrorCode, ErrorGuide>>;
  /** Schema of `details`. */
  details: JsonSchema;
  /** What the details refer to. */
  named?: Record<string, JsonSchema>;
  /** The refusals that many operations have in common: each is one component, whose name this is. */
  shared: Record<string, ErrorCode[]>;
  /** The headers of a refusal, by the names of their components. */
  headers: (status: number) => string[];
}

const ERROR: JsonSchema = {
  type: 'object',
  description: 'The one shape of every error.',
  additionalProperties: false,
  required: ['error'],
  properties: { error: { $ref: '#/components/schemas/ErrorBody' } },
};

const ERROR_BODY: JsonSchema = {
  type: 'object',
  description: 'What went wrong.',
  additionalProperties: false,
  required: ['code', 'message'],
  properties: {
    code: { $ref: '#/components/schemas/ErrorCode', description: 'What went wrong; decide by this' },
    message: { type: 'string', description: 'The same for a human reader; its wording may change' },
    details: { $ref: '#/components/schemas/ErrorDetails' },
  },
};

const FIELD_PROBLEM: JsonSchema = {
  type: 'object',
  description: 'One field that was wrong.',
  additionalProperties: false,
  required: ['field', 'code', 'message'],
  properties: {
    field: { type: 'string', description: 'Path of the field, such as `rate.pps`' },
    code: { type: 'string', description: 'The rule that it breaks' },
    message: { type: 'string', description: 'The same for a human reader' },
  },
};

/** The error shape and the refusals of an API: what every status but 200 looks like. */
export class ErrorResponses {
  readonly #vocabulary: ErrorVocabulary;

  constructor(vocabulary: ErrorVocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The schemas that they are made of, for the components. */
  schemas(): Record<string, JsonSchema> {
    const { guide, details } = this.#vocabulary;
    const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code in guide);
    return {
      Error: ERROR,
      ErrorBody: ERROR_BODY,
      ErrorCode: { type: 'string', enum: codes },
      ErrorDetails: details,
      FieldProblem: FIELD_PROBLEM,
      ...this.#vocabulary.named,
    };
  }

  /** The shared refusals, for the components. */
  components(): Record<string, Response> {
    const { shared } = this.#vocabulary;
    return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, this.#describe(codes)]));
  }

  /** The response for these codes, all of one status: the shared one where there is one. */
  response(codes: ErrorCode[]): Response | Reference {
    const shared = Object.entries(this.#vocabulary.shared).find(
      ([, others]) => others.length === codes.length && others.every((code) => codes.includes(code)),
    );
    return shared ? { $ref: `#/components/responses/${shared[0]}` } : this.#describe(codes);
  }

  #describe(codes: ErrorCode[]): Response {
    const guides = codes.map((code) => this.#guide(code));
    const narrowed = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', enum: codes } },
    };
    return {
      description: guides.map(({ meaning }) => meaning).join(' '),
      headers: headers(...this.#vocabulary.headers(ERROR_STATUS[codes[0]!])),
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Error' },
              { type: 'object', required: ['error'], properties: { error: narrowed } },
            ],
          },
          examples: Object.fromEntries(
            codes.map((code, index) => [code, errorExample(code, guides[index]!)]),
          ),
        },
      },
    };
  }

  #guide(code: ErrorCode): ErrorGuide {
    const guide = this.#vocabulary.guide[code];
    if (!guide) throw new Error(`The description says nothing of the error ${code}`);
    return guide;
  }
}

function errorExample(code: ErrorCode, { meaning, message, details }: ErrorGuide): Example {
  return { summary: meaning, value: { error: { code, message, ...(details && { details }) } } };
}
