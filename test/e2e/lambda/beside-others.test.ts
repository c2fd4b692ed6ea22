/** What people change is worked on at once, however many keys wait: the case of decision 517. */
import { expect, it } from 'vitest';
import { aService } from '../../support/service.ts';
import { until } from '../lab/until.ts';
import { aws } from './aws/aws.ts';
import { toldSince } from './aws/told.ts';
import { sandboxStack } from './sandbox-stack.ts';

const parts = aws();
const names = Array.from({ length: 40 }, (_, index) => `s${index}`);

it(
  'begins an event about a settled key within 10 s beside forty that came singly and wait',
  { timeout: 400_000 },
  async () => {
    const { sandbox, deployment, address, quiet } = await sandboxStack(parts, { pendingMs: 30_000 });
    sandbox.kube.apply(aService({ name: 'settled' }));
    await address('settled');
    await quiet();
    const began = Date.now();
    for (const name of names) sandbox.kube.apply(aService({ name }));
    const lookedAt = (name: string): number =>
      deployment.lambda.log(deployment.functionNamed('reconcile')).split(`"object":"service/default/${name}"`)
        .length;
    await until('all forty were looked at, and wait', () => names.every((name) => lookedAt(name) > 1), {
      timeoutMs: 120_000,
    });
    const before = lookedAt('settled');
    const changed = Date.now();
    sandbox.kube.apply(aService({ name: 'settled', annotations: { note: 'changed' } }));
    await until('the settled one was looked at', () => lookedAt('settled') > before, { everyMs: 20 });
    console.log(`beside forty: ${Date.now() - changed} ms; ${toldSince(deployment, began)}`);
    expect(Date.now() - changed).toBeLessThan(10_000);
  },
);
