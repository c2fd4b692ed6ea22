import { describe, expect, it } from 'vitest';
import { createCallRecorder } from '../../../shared/openstack/connect-cloud.ts';

const call = (status: number, method = 'GET', requestId = `req-${status}`) => ({
  service: 'network' as const,
  method,
  status,
  requestId,
  durationMs: 1,
});

describe('createCallRecorder', () => {
  it('keeps runs apart that go on at once', async () => {
    const { recorder, note } = createCallRecorder();
    const run = (count: number) =>
      recorder.record(async () => {
        for (let i = 0; i < count; i += 1) {
          await Promise.resolve();
          note(call(500, 'GET', `req-${count}`));
        }
        return count;
      });
    note(call(500));
    expect(await Promise.all([run(1), run(3)])).toEqual([
      { value: 1, calls: 1, failedRequestIds: ['req-1'] },
      { value: 3, calls: 3, failedRequestIds: ['req-3', 'req-3', 'req-3'] },
    ]);
  });

  it('does not count as failed what was only not there', async () => {
    const { recorder, note } = createCallRecorder();
    const noted = await recorder.record(() => {
      [call(200), call(404), call(404, 'DELETE'), call(404, 'PUT', 'req-put'), call(409)].forEach(note);
      return Promise.resolve();
    });
    expect(noted).toMatchObject({ calls: 5, failedRequestIds: ['req-put', 'req-409'] });
  });
});
