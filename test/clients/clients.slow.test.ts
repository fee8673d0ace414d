// Needs: the npm registry.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OPERATIONS, operationOf } from '../acceptance/support/document.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { equip, newSubject } from '../acceptance/support/world.ts';
import { GENERATORS } from './support/generators.ts';
import { runCollection, runOwnCollection, throughBruno } from './support/newman.ts';
import { throughPrism, validateAll } from './support/prism.ts';
import { installSdk, RUNTIMES, TOLD, tellOn } from './support/runtimes.ts';
import type { Customer } from './support/sequence.ts';
import { openWorkshop, type Workshop } from './support/workshop.ts';

/** `npm run test:slow -- clients`: other projects' tools read the description and send requests to a service. */

const ANY_TYPES = join(import.meta.dirname, 'support/any-types.mjs');

test('other tools accept the description', async (t) => {
  const workshop = await openWorkshop(t);
  await generated(t, workshop);
  const { operator, client: program, baseUrl } = await start(t);
  const customer = async (): Promise<Customer> => {
    const subject = await newSubject(operator, program);
    const ids = await equip(subject, 'web-1');
    return { url: baseUrl(), key: await operator.key(subject.account, SCOPES), ids };
  };

  await t.test('Prism accepts a call of each operation and its reply', async (t) => {
    assert.deepEqual(await validateAll(t, workshop, await customer()), []);
  });

  await t.test('Prism refuses an undescribed request and reply', async (t) => {
    const document = JSON.parse(workshop.read('openapi.json'));
    document.components.schemas.Wallet.required.push('absent');
    workshop.write('wrong.json', JSON.stringify(document));
    const call = await throughPrism(t, workshop, await customer(), 'wrong.json');
    assert.match(
      String(await call(operationOf('getWallet'), {})),
      /^getWallet: response\/body\/data .*absent/,
    );
    const misspelt = await call(operationOf('listVms'), { query: { limit: 'many' } });
    assert.match(String(misspelt), /^listVms: request\/query\/limit /);
  });

  await t.test('Newman runs the collection that Postman imports from it', async () => {
    assert.deepEqual(await runCollection(workshop, await customer()), []);
  });

  await t.test('Newman runs the collection of the documentation, and Bruno imports it', async () => {
    assert.deepEqual(await runOwnCollection(workshop, await customer()), []);
    assert.equal(await throughBruno(workshop), OPERATIONS.length);
  });

  await installSdk(workshop);
  for (const name of Object.keys(RUNTIMES))
    await t.test(`the packed SDK on ${name}`, async () => {
      assert.deepEqual(await tellOn(name, workshop, await customer()), TOLD);
    });
});

async function generated(t: TestContext, workshop: Workshop): Promise<void> {
  const { compilerOptions } = JSON.parse(workshop.read('tsconfig.json'));
  for (const { name, command, types, own, story } of GENERATORS)
    await t.test(`${name}: a strict program on its client`, async () => {
      const [tool, ...words] = command;
      await workshop.run(tool, words);
      const places = JSON.parse(await workshop.run(ANY_TYPES, [types])) as string[];
      const ofOperations = places.filter((place) => !own?.test(place));
      assert.deepEqual(ofOperations, [], 'values that may be anything');
      workshop.write(`${name}.ts`, story);
      workshop.write(`tsconfig.${name}.json`, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
      await workshop.run('typescript/bin/tsc', ['--project', `tsconfig.${name}.json`]);
    });
}
