import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import type { ObservedCall } from '../../functions/measured.ts';
import { connect } from '../../functions/world.ts';
import { sandboxWorld } from './sandbox-world.ts';

test('who a caller is is asked over other connections than those of the work', async () => {
  const { env, flags } = await sandboxWorld({ nodes: 0 });
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  let statuses: (number | undefined)[] = [];
  const observeCall = ({ status }: ObservedCall): void => {
    statuses.push(status);
  };
  const connected = await connect({ env, flags, log, observeCall });
  await connected.world.kube.clusterId();
  statuses = [];
  let opened = 0;
  const count = (): void => void (opened += 1);
  subscribe('net.client.socket', count);
  onTestFinished(() => void unsubscribe('net.client.socket', count));

  expect(await (await connected.reviews()).callerOf('a-token')).toBeUndefined();

  expect([opened, statuses]).toEqual([1, [201]]);
});

function nothing(): void {
  // the test reads no log
}
