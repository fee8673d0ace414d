import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { JOB_ERROR_CODES } from '../server/domain/vms/states.ts';
import { ENDPOINTS } from '../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../server/endpoints/panel/index.ts';
import { buildOpenApi, formatOpenApi } from '../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../server/http/openapi/customer.ts';
import { OPERATOR_DESCRIPTION } from '../server/http/openapi/operator.ts';
import { PANEL_DESCRIPTION } from '../server/http/openapi/panel.ts';
import { ERROR_CODES } from '../server/platform/error-codes.ts';
import { emitCli } from './emit-cli.ts';
import { emitClient } from './emit-client.ts';
import { emitCurrencies } from './emit-currencies.ts';
import { emitMan } from './emit-man.ts';
import { emitOperations } from './emit-operations.ts';
import { emitTerraform } from './emit-terraform.ts';

const write = (path: string, text: string) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

/** Writes everything that is generated from the endpoint definitions. */
const customer = buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS);
write('openapi.json', formatOpenApi(customer));
write('panel/src/api/customer.ts', emitOperations(customer, 'Customer'));
write('sdk/src/api.ts', emitClient(customer));
write(
  'sdk/src/currencies.ts',
  emitCurrencies(readFileSync(new URL('../shared/currencies.ts', import.meta.url), 'utf8')),
);
write('cli/src/inputs.ts', emitCli(customer));
const pages = emitMan();
const manual = new URL('../cli/man/', import.meta.url);
rmSync(manual, { recursive: true, force: true });
mkdirSync(manual);
for (const [name, text] of pages) write(`cli/man/${name}`, text);
write('terraform/tables.json', emitTerraform(customer));
const operator = buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS);
write('operator-openapi.json', formatOpenApi(operator));
write('shared/api/operator.ts', emitOperations(operator, 'Operator'));
const panel = buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS);
write('panel-openapi.json', formatOpenApi(panel));
write('panel/src/api/panel.ts', emitOperations(panel, 'Panel'));

const union = (name: string, about: string, codes: readonly string[]) =>
  `\n/** ${about} */\nexport type ${name} =\n${codes.map((code) => `  | '${code}'`).join('\n')};\n`;
// Codes for which the panel has texts.
write(
  'panel/src/api/codes.ts',
  `// Made from the tables of the service by \`npm run generate\`: do not edit.\n${[
    union('ErrorCode', 'What went wrong.', ERROR_CODES),
    union('JobErrorCode', 'Why a job failed.', JOB_ERROR_CODES),
  ].join('')}`,
);
