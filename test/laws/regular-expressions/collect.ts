import { parseSync, Visitor } from 'vite';
import { ENDPOINTS } from '../../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../../server/endpoints/panel/index.ts';
import { buildOpenApi, formatOpenApi } from '../../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../../server/http/openapi/customer.ts';
import { OPERATOR_DESCRIPTION } from '../../../server/http/openapi/operator.ts';
import { PANEL_DESCRIPTION } from '../../../server/http/openapi/panel.ts';
import { projectFiles, read } from '../../support/source.ts';

/** The programs that read text from others. The panel and the documentation run in their reader's own browser. */
const FOLDERS = ['server', 'shared', 'sdk', 'cli', 'vaubanctl'];
/** Their `pattern`s apply to every input of the APIs. */
const DESCRIPTIONS = {
  'openapi.json': buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS),
  'operator-openapi.json': buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS),
  'panel-openapi.json': buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS),
};

/** The regular expressions of the project. */
export interface Found {
  /** Literals and patterns of schemas in source notation: `/^a+$/i`. Each with the files that contain it. */
  expressions: Map<string, Set<string>>;
  /** Files that build expressions at run time from parts, so that their text does not contain them. */
  builders: Set<string>;
}

/** Collects every regular expression that may be applied to text from others. */
export function collect(): Found {
  const found: Found = { expressions: new Map(), builders: new Set() };
  for (const path of projectFiles()) {
    const isCode = /\.(ts|js|mjs)$/.test(path) && !path.endsWith('.test.ts');
    if (isCode && FOLDERS.includes(path.split('/', 1)[0]!)) collectCode(path, found);
  }
  for (const [path, document] of Object.entries(DESCRIPTIONS))
    collectPatterns(path, JSON.parse(formatOpenApi(document)), found);
  return found;
}

function add({ expressions }: Found, expression: string, path: string): void {
  expressions.set(expression, (expressions.get(expression) ?? new Set()).add(path));
}

function collectCode(path: string, found: Found): void {
  const { program, errors } = parseSync(path, read(path));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const called = ({ callee }: { callee: { type: string; name?: unknown } }) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') found.builders.add(path);
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) add(found, `/${node.regex.pattern}/${node.regex.flags}`, path);
    },
    NewExpression: called,
    CallExpression: called,
  }).visit(program);
}

function collectPatterns(path: string, value: unknown, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    // Compiled like in the validator.
    if (name === 'pattern' && typeof member === 'string') add(found, `/${member}/u`, path);
    else collectPatterns(path, member, found);
  }
}
