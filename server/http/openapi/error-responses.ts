import { ERROR_CODES, ERRORS, type ErrorCode, type ErrorText } from '../../platform/error-codes.ts';
import { FIELD_CODES } from '../../platform/field-codes.ts';
import { headers } from './components.ts';
import type { Description } from './description.ts';
import type { Example, JsonSchema, Reference, Response } from './document.ts';

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
  readonly #description: Description;

  constructor(description: Description) {
    this.#description = description;
  }

  /** Returns the error schemas, for the components. */
  schemas(): Record<string, JsonSchema> {
    const { audience, details, namedDetails } = this.#description;
    const codes = ERROR_CODES.filter((code) => ERRORS[code].seenBy.includes(audience));
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
      ...namedDetails,
    };
  }

  /** Returns the shared refusals, for the components. */
  components(): Record<string, Response> {
    const { shared } = this.#description;
    return Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, this.#describe(codes)]));
  }

  /** Returns the response for these codes, which all have one status: the shared one if it exists. */
  response(codes: ErrorCode[]): Response | Reference {
    const shared = Object.entries(this.#description.shared).find(
      ([, others]) => others.length === codes.length && others.every((code) => codes.includes(code)),
    );
    return shared ? { $ref: `#/components/responses/${shared[0]}` } : this.#describe(codes);
  }

  #describe(codes: ErrorCode[]): Response {
    const { everyResponse, statusHeaders } = this.#description;
    const texts = codes.map((code) => this.#text(code));
    const narrowed = {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', enum: codes } },
    };
    return {
      description: texts.map(({ meaning }) => meaning).join(' '),
      headers: headers(...everyResponse, ...(statusHeaders[ERRORS[codes[0]!].status] ?? [])),
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Error' },
              { type: 'object', required: ['error'], properties: { error: narrowed } },
            ],
          },
          examples: Object.fromEntries(codes.map((code, index) => [code, errorExample(code, texts[index]!)])),
        },
      },
    };
  }

  #text(code: ErrorCode): ErrorText {
    const { audience } = this.#description;
    const { seenBy, operator, ...text } = ERRORS[code];
    if (!seenBy.includes(audience)) throw new Error(`The code ${code} is not for the ${audience}`);
    return audience === 'operator' ? { ...text, ...operator } : text;
  }
}

function errorExample(code: ErrorCode, { meaning, message, details }: ErrorText): Example {
  return { summary: meaning, value: { error: { code, message, ...(details && { details }) } } };
}
