import assert from 'node:assert/strict';
import { whyNever } from '../stories/refusals.ts';
import { toRequest } from '../support/client.ts';
import { validCall } from '../support/valid-calls.ts';
import { absent, allWrong, type Probe, refuses } from './probe.ts';

/** Larger than any body may be. */
const TOO_LARGE = 300 * 1024;

const badBody = (name: string, body: string, type: string, status: number, code: string): Probe => ({
  name,
  suits: ({ method }) => method !== 'GET',
  async run(operation, { own }) {
    const { method, target, headers } = toRequest(operation, validCall(operation, absent(operation)));
    const request = { method, target, headers: { ...headers, 'content-type': type }, body };
    await refuses(own.client, request, status, code);
  },
});

const JSON_TYPE = 'application/json';
export const BODY_PROBES: Probe[] = [
  badBody('a body that is not JSON', '{"plan": ', JSON_TYPE, 400, 'invalid_json'),
  badBody('a body that is another type', '<plan/>', 'application/xml', 415, 'unsupported_media_type'),
  badBody('a body without a type', '{}', '', 415, 'unsupported_media_type'),
  badBody('a form', 'plan=s1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'),
  badBody('a body in Latin-1', '{}', 'application/json; charset=iso-8859-1', 415, 'unsupported_media_type'),
  badBody('a body in UTF-16', '{}', 'application/json;charset="utf-16"', 415, 'unsupported_media_type'),
  {
    name: 'a body that is compressed',
    suits: ({ method }) => method !== 'GET',
    async run(operation, { own }) {
      const { method, target, headers } = toRequest(operation, validCall(operation, absent(operation)));
      for (const encoding of ['gzip', 'br', 'x-unknown', 'gzip, identity']) {
        const how = { 'content-type': JSON_TYPE, 'content-encoding': encoding };
        const request = { method, target, headers: { ...headers, ...how }, body: '{}' };
        await refuses(own.client, request, 415, 'unsupported_media_type');
      }
    },
  },
  badBody('a huge body', ' '.repeat(TOO_LARGE), JSON_TYPE, 413, 'body_too_large'),
  badBody('a huge body of another type', ' '.repeat(TOO_LARGE), 'application/xml', 413, 'body_too_large'),
  badBody('a deep body', '['.repeat(5_000) + ']'.repeat(5_000), JSON_TYPE, 400, 'invalid_json'),
];

export const FORM_PROBES: Probe[] = [
  {
    name: 'two Authorization headers',
    run: (operation, { own, keys }) => {
      const authorization = [`Bearer ${keys.expired}`, `Bearer ${keys.expired}`];
      const request = allWrong(operation);
      const headers = { ...request.headers, authorization };
      return refuses(own.client, { ...request, headers }, 400, 'invalid_request');
    },
  },
  {
    name: 'a method that its path does not have',
    async run(operation, { own }) {
      const { target } = allWrong(operation);
      const answer = await own.client.send({ method: 'PUT', target });
      assert.deepEqual([answer.status, answer.code], [405, 'method_not_allowed'], answer.text);
      assert.ok(String(answer.headers.allow).split(', ').includes(operation.method));
    },
  },
  {
    name: 'a target that is too long',
    run: (operation, { own }) => {
      const request = allWrong(operation);
      const target = `${request.target}&x=${'x'.repeat(9_000)}`;
      return refuses(own.client, { ...request, target }, 414, 'uri_too_long');
    },
  },
  {
    name: 'headers that are too long',
    run: (operation, { own }) => {
      const request = allWrong(operation);
      const headers = { ...request.headers, 'x-long': 'x'.repeat(20_000), connection: 'close' };
      return refuses(own.client, { ...request, headers }, 431, 'headers_too_large');
    },
  },
  {
    name: 'HEAD, which answers as GET without a body',
    suits: ({ method, id }) => method === 'GET' && id !== 'getConsole' && !whyNever(id, 'ok'),
    async run(operation, { own }) {
      const request = toRequest(operation, validCall(operation, own.ids));
      const get = await own.client.send(request);
      const head = await own.client.send({ ...request, method: 'HEAD' });
      assert.deepEqual([get.status, head.status, head.text], [200, 200, '']);
      const names = ({ headers }: { headers: object }) => Object.keys(headers).sort();
      assert.deepEqual(names(head), names(get));
      const wrong = await own.client.withKey(undefined).send({ ...request, method: 'HEAD' });
      assert.deepEqual([wrong.status, wrong.text], [401, '']);
    },
  },
  {
    name: 'HEAD where a GET issues a ticket',
    suits: ({ id }) => id === 'getConsole',
    async run(operation, { own }) {
      const request = { ...toRequest(operation, validCall(operation, own.ids)), method: 'HEAD' };
      const { status, text, headers } = await own.client.send(request);
      assert.deepEqual([status, text, headers.allow], [405, '', 'GET']);
    },
  },
];
