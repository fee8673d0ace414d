import { ERROR_STATUS, type ErrorCode, type ErrorDetails } from '../../platform/errors.ts';
import { FIELD_CODES } from '../../platform/field-codes.ts';
import { headers } from './components.ts';
import type { Example, JsonSchema, Reference, Response } from './document.ts';

/** The reference's text about one error code. */
export interface ErrorGuide {
  /** When the error occurs, and how to fix it if that is not obvious. */
  meaning: string;
  /** An example of the message; clients decide by the code. */
  message: string;
  /** The members of `details` for this code. */
  details?: ErrorDetails;
}

/** The errors of one API. */
export interface ErrorVocabulary {
  /** All codes that the API returns. */
  guide: Partial<Record<ErrorCode, ErrorGuide>>;
  details: JsonSchema;
  /** Schemas that `details` refers to. */
  named?: Record<string, JsonSchema>;
  /** Refusals that many operations share, by the name of their component. */
  shared: Record<string, ErrorCode[]>;
  /** Returns the names of a refusal's header components. */
  headers: (status: number) => string[];
}

const ERROR: JsonSchema = {
  type: 'object',
  description: 'The format of all errors.',
  additionalProperties: false,
  required: ['error'],
  properties: { error: { $ref: '#/components/schemas/ErrorBody' } },
};

const ERROR_BODY: JsonSchema = {
  type: 'object',
  description: 'The error.',
  additionalProperties: false,
  required: ['code', 'message'],
  properties: {
    code: { $ref: '#/components/schemas/ErrorCode', description: 'Error code; base decisions on this' },
    message: { type: 'string', description: 'Human-readable message; its wording may change' },
    details: { $ref: '#/components/schemas/ErrorDetails' },
  },
};

const FIELD_PROBLEM: JsonSchema = {
  type: 'object',
  description: 'An invalid field.',
  additionalProperties: false,
  required: ['field', 'code', 'message'],
  properties: {
    field: { type: 'string', description: 'Path of the field, such as `rate.pps`' },
    code: { $ref: '#/components/schemas/FieldCode', description: 'The violated rule' },
    message: { type: 'string', description: 'Human-readable message' },
  },
};

/** Describes an API's errors: the responses for every status except 200. */
export class ErrorResponses {
  readonly #vocabulary: ErrorVocabulary;

  constructor(vocabulary: ErrorVocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Returns the error schemas, for the components. */
  schemas(): Record<string, JsonSchema> {
    const { guide, details } = this.#vocabulary;
    const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => code in guide);
    return {
      Error: ERROR,
      ErrorBody: ERROR_BODY,
      ErrorCode: { type: 'string', enum: codes },
      ErrorDetails: details,
      FieldCode: {
        type: 'string',
        enum: Object.keys(FIELD_CODES),
        'x-enumDescriptions': FIELD_CODES,
      },
      FieldProblem: FIELD_PROBLEM,
      ...this.#vocabulary.named,
    };
  }

  /** Returns the shared refusals, for the components. */
  components(): Record<string, Response> {
    const { shared } = this.#vocabulary;
    return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, this.#describe(codes)]));
  }

  /** Returns the response for these codes, which all have one status: the shared one if it exists. */
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
    if (!guide) throw new Error(`The description does not explain the error ${code}`);
    return guide;
  }
}

function errorExample(code: ErrorCode, { meaning, message, details }: ErrorGuide): Example {
  return { summary: meaning, value: { error: { code, message, ...(details && { details }) } } };
}
