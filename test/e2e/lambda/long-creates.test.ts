/** How soon the functions on Lambda see that Octavia is done with a load balancer that takes it long (decision 270). */
import { expect, it } from 'vitest';
import { aService } from '../../support/service.ts';
import { aws } from './aws/aws.ts';
import { toldSince } from './aws/told.ts';
import { sandboxStack } from './sandbox-stack.ts';

const parts = aws();

it(
  'Services whose load balancers take 80 s, longer than a worker may run, have their addresses within seconds of that',
  { timeout: 400_000 },
  async () => {
    const pendingMs = 80_000;
    const { sandbox, deployment, address, quiet } = await sandboxStack(parts, { pendingMs });
    const begun: number[] = [];
    sandbox.fault({
      match: { side: 'openstack', method: 'POST', path: /\/loadbalancers$/ },
      times: Infinity,
      kind: 'call',
      before: () => void begun.push(Date.now()),
    });
    const names = ['s1', 's2', 's3'];
    const began = Date.now();
    for (const name of names) sandbox.kube.apply(aService({ name }));
    const addressed = await Promise.all(names.map((name) => address(name).then(() => Date.now())));
    const late = addressed.toSorted((a, b) => a - b).map((at, nth) => at - (begun[nth] ?? NaN) - pendingMs);
    console.log(`address after ACTIVE: ${late.join(', ')} ms; ${toldSince(deployment, began)}`);
    // a machine that has other work, too, is late with some of them
    expect(Math.min(...late)).toBeLessThan(4_000);
    expect(Math.max(...late)).toBeLessThan(10_000);
    await quiet();
    expect(deployment.invocationsOf('reconcile').filter(({ functionError }) => functionError)).toEqual([]);
    expect(sandbox.cloud.loadbalancers).toHaveLength(names.length);
  },
);
