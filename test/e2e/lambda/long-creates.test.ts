/** How soon the functions on Lambda see that Octavia is done with a load balancer that takes it 40 s (decision 338). */
import { expect, it } from 'vitest';
import { aService } from '../../support/service.ts';
import { aws } from './aws/aws.ts';
import { toldSince } from './aws/told.ts';
import { sandboxStack } from './sandbox-stack.ts';

const CREATE_MS = 40_000;
const parts = aws();

it(
  'a Service whose load balancer takes 40 s has its address within two seconds, after others that took as long',
  { timeout: 400_000 },
  async () => {
    const { sandbox, deployment, address } = await sandboxStack(parts, { pendingMs: CREATE_MS });
    const begun: number[] = [];
    sandbox.fault({
      match: { side: 'openstack', method: 'POST', path: /\/loadbalancers$/ },
      times: Infinity,
      kind: 'call',
      before: () => void begun.push(Date.now()),
    });
    /** Milliseconds from each load balancer's being ACTIVE to its address. */
    const create = async (...names: readonly string[]): Promise<readonly number[]> => {
      for (const name of names) sandbox.kube.apply(aService({ name }));
      const addressed = await Promise.all(names.map((name) => address(name).then(() => Date.now())));
      const from = begun.splice(0);
      expect(from).toHaveLength(names.length);
      return addressed.toSorted((a, b) => a - b).map((at, nth) => at - (from[nth] ?? NaN) - CREATE_MS);
    };
    const began = Date.now();
    const first = await create('s1', 's2');
    const then = await create('s3', 's4', 's5');
    console.log(
      `address after ACTIVE: ${first.join(', ')} ms; then ${then.join(', ')} ms; ${toldSince(deployment, began)}`,
    );
    // a machine that has other work, too, is late with some of them
    expect(Math.min(...then)).toBeLessThan(2_000);
    expect(Math.max(...then)).toBeLessThan(10_000);
  },
);
