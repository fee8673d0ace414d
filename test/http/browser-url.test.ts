import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../server/config/config.ts';
import { browserUrl } from '../../server/http/base-url.ts';

test('people are sent to a host name if the service has one, because passkeys need it', () => {
  const config = loadConfig({});
  for (const [listening, url] of [
    ['http://127.0.0.1:8080', 'http://localhost:8080'],
    ['http://[::1]:8080', 'http://localhost:8080'],
    ['http://0.0.0.0:8080', 'http://localhost:8080'],
    ['http://192.0.2.7:8080', 'http://192.0.2.7:8080'],
  ] as const)
    assert.equal(browserUrl(config, listening), url);
  const named = loadConfig({ VAUBAN_PUBLIC_URL: 'https://cloud.example' });
  assert.equal(browserUrl(named, 'http://127.0.0.1:8080'), 'https://cloud.example');
});
