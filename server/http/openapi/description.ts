import type { Audience, ErrorCode } from '../../platform/error-codes.ts';
import type { Header, JsonSchema, Server } from './document.ts';

/** A description of an API: whom it is for, and what it says besides the operations themselves. */
export interface Description {
  audience: Audience;
  /** The beginning of the paths it describes, such as "/v1/", so that an audience can have several descriptions. */
  paths: string;
  title: string;
  version: string;
  summary: string;
  /** The rules that apply to every operation, in Markdown. */
  conventions: string;
  server: Server;
  security: Record<string, string[]>[];
  securitySchemes: Record<string, Record<string, string>>;
  /** The groups of operations, in display order. */
  tags: Record<string, { title: string; description: string }>;
  /** The codes that every operation can return. */
  everyOperation: readonly ErrorCode[];
  /** The names of the header components of every response. */
  everyResponse: readonly string[];
  /** Further ones of refusals with a status. */
  statusHeaders: Record<number, readonly string[]>;
  /** References to parameters of every operation. */
  everyParameter: readonly string[];
  /** Header components that say something else here. */
  ownHeaders?: Record<string, Header>;
  /** Schema of `details` in a refusal. */
  details: JsonSchema;
  /** Schemas that `details` refers to. */
  namedDetails?: Record<string, JsonSchema>;
  /** Refusals that many operations share, by the name of their component. */
  shared: Record<string, ErrorCode[]>;
}

/** A header of APIs whose replies are all private. */
export const NO_REPLY_KEPT: Record<string, Header> = {
  'Cache-Control': {
    description: 'No reply may be kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
};
