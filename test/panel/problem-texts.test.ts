import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_TEXTS, FIELD_TEXTS } from '../../panel/src/problem-texts.ts';
import { errorText, fieldText, loadProblemTexts } from '../../panel/src/problems.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { compileChecks, KEYWORD_CODES } from '../../server/http/validation.ts';
import { ERROR_CODES } from '../../server/platform/error-codes.ts';
import type { ApiError, FieldProblem } from '../../server/platform/errors.ts';
import { FIELD_CODES } from '../../server/platform/field-codes.ts';
import { type TObject, Type } from '../../server/platform/schema.ts';

await loadProblemTexts('de');

/** Keywords of a schema that validate nothing or lead to other schemas. */
const SILENT = new Set(
  '$id properties items description default examples title x-expected x-not-null additionalProperties readOnly'.split(
    ' ',
  ),
);

/** Returns the keywords of a schema and of all schemas within it. */
function keywordsIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (schema === null || typeof schema !== 'object') return found;
  for (const [keyword, value] of Object.entries(schema as Record<string, unknown>)) {
    if (!SILENT.has(keyword)) found.add(keyword);
    if (keyword === 'properties')
      for (const member of Object.values(value as object)) keywordsIn(member, found);
    else if (keyword === 'anyOf' || keyword === 'oneOf')
      for (const member of value as unknown[]) keywordsIn(member, found);
    else if (keyword === 'items') keywordsIn(value, found);
  }
  return found;
}

test('every refusal of the panel has a German text', () => {
  assert.deepEqual(Object.keys(ERROR_TEXTS), ERROR_CODES);
  assert.deepEqual(Object.keys(FIELD_TEXTS), Object.keys(FIELD_CODES));
  for (const { operation, query, body, errors } of [...ENDPOINTS, ...PANEL_ENDPOINTS]) {
    for (const keyword of keywordsIn({ properties: { query, body } }))
      assert.ok(keyword in KEYWORD_CODES, `${operation}: ${keyword} has no field code`);
    for (const code of errors) assert.notEqual(errorText({ code, message: code }, 'de'), code);
  }
});

/** Returns the service's problem with a body that has this value in the field. */
function problemOf(schema: ReturnType<typeof Type.String>, value: unknown, field = 'value'): FieldProblem {
  const body = Type.Object({ [field]: schema }) as TObject;
  const refusal: ApiError | undefined = compileChecks({
    audience: 'panel',
    method: 'POST',
    query: undefined,
    body,
  }).refusal({}, { [field]: value });
  const fields = refusal?.details?.fields as FieldProblem[];
  return fields[0]!;
}

test('a German text names the limit that the service names', () => {
  const text = Type.String({ minLength: 10, maxLength: 20 });
  assert.equal(fieldText(problemOf(text, 'short'), 'de'), 'Mindestens 10 Zeichen sind nötig.');
  assert.equal(fieldText(problemOf(text, 'x'.repeat(21)), 'de'), 'Höchstens 20 Zeichen sind erlaubt.');
  const filled = problemOf(Type.String({ minLength: 1 }), '');
  assert.equal(fieldText(filled, 'de'), 'Füllen Sie dieses Feld aus.');
  const figure = Type.Integer({ minimum: 3, maximum: 7 }) as never;
  assert.equal(fieldText(problemOf(figure, 2), 'de'), 'Der Wert muss mindestens 3 sein.');
  assert.equal(fieldText(problemOf(figure, 8), 'de'), 'Der Wert darf höchstens 7 sein.');
  const amount = { field: 'amount_minor', code: 'too_small', message: 'must be at least 5.00 EUR' } as const;
  assert.equal(fieldText(amount, 'de'), 'Der Wert muss mindestens 5.00 EUR sein.');
  const step = 'must be between 1 and 16 in steps of 1';
  assert.equal(
    fieldText({ field: 'vcpu', code: 'out_of_range', message: step }, 'de'),
    'Der Wert muss zwischen 1 und 16 liegen, in Schritten von 1.',
  );
});

test('a field that has more to say than its code says it, wherever in the body it is', () => {
  const hostname = problemOf(Type.String({ pattern: '^[a-z]+$' }), '!', 'hostname');
  assert.match(fieldText(hostname, 'de'), /^Erlaubt sind Buchstaben, Ziffern und Bindestriche/);
  const port = { field: 'source_ports.1', code: 'conflict', message: 'others have no ports' } as const;
  assert.equal(fieldText(port, 'de'), 'Nur TCP und UDP haben Ports.');
  assert.equal(fieldText(port, 'en'), 'Others have no ports.');
});
