import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../server/platform/metrics.ts';

test('the text format is readable', async () => {
  const metrics = createMetrics('1.2.3');
  metrics.requestAnswered('listVms', 200, 0.004);
  metrics.requestAnswered('listVms', 200, 0.3);
  metrics.rateLimited('account');
  metrics.jobPickedUp(0.003);
  metrics.jobFinished('start', 'failed');
  const text = await metrics.text();
  for (const line of [
    'vauban_http_request_duration_seconds_bucket{le="0.005",operation="listVms",status="200"} 1',
    'vauban_http_request_duration_seconds_count{operation="listVms",status="200"} 2',
    'vauban_rate_limited_total{policy="account"} 1',
    'vauban_job_pickup_seconds_count 1',
    'vauban_jobs_total{kind="start",outcome="failed"} 1',
    `vauban_build_info{version="1.2.3",node="${process.version}"} 1`,
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
  assert.match(text, /^process_resident_memory_bytes \d+/m);
  assert.match(metrics.contentType, /^text\/plain/);
});

test('two registries do not share their figures', async () => {
  const [one, two] = [createMetrics('1'), createMetrics('2')];
  one.rateLimited('key');
  assert.doesNotMatch(await two.text(), /policy="key"/);
});
