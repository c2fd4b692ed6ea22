/** What happens, and when: drawn from a seed before anything begins, so that the same seed plays the same again. */
import fc from 'fast-check';
import type { Trouble } from '../fixtures/cloud-front.ts';
import type { ServiceType } from '../lab/openstack.ts';

/** One change of what a Service asks for; undefined takes it back. */
export type Setting =
  | { readonly annotations: Readonly<Record<string, string | undefined>> }
  | { readonly spec: Readonly<Record<string, unknown>> }
  | { readonly ports: number };

type Type = 'ClusterIP' | 'NodePort' | 'LoadBalancer';

export type UserEdit =
  | { readonly slot: number; readonly does: 'change'; readonly setting: Setting }
  | { readonly slot: number; readonly does: 'delete' }
  | { readonly slot: number; readonly does: 'type'; readonly type: Type };

export const NODE_EDITS = ['membership', 'readiness', 'exclusion', 'autoscaler', 'label'] as const;
export interface NodeEdit {
  readonly node: number;
  readonly does: (typeof NODE_EDITS)[number];
}

/** Without a new name for a load balancer, which hands it over to whoever gave it (`docs/troubleshooting.md`). */
export const OPERATOR_EDITS = [
  'rename a listener',
  'switch the load balancer off',
  'delete the load balancer',
  'delete a listener',
  'delete a pool',
  'delete a member',
  'delete a monitor',
  'change a listener',
  'change a pool',
  'change a member',
  'change a monitor',
  'add a member',
  'add a listener of a person',
  'detach the floating IP',
  'delete the floating IP',
  'delete a rule of the security group',
  'take the security group off a port',
] as const;
export interface OperatorEdit {
  readonly slot: number;
  readonly does: (typeof OPERATOR_EDITS)[number];
  /** Which of several. */
  readonly which: number;
}

export type TroubleEdit =
  | { readonly does: 'api'; readonly api: ServiceType; readonly trouble: Trouble; readonly seconds: number }
  | { readonly does: 'webhook'; readonly seconds: number }
  | { readonly does: 'kill'; readonly seconds: number };

/** An edit, and the milliseconds after the beginning at which it is due. */
export interface Due<T> {
  readonly at: number;
  readonly edit: T;
}

export interface Script {
  readonly users: readonly Due<UserEdit>[];
  readonly nodes: readonly Due<NodeEdit>[];
  readonly operators: readonly Due<OperatorEdit>[];
  readonly troubles: readonly Due<TroubleEdit>[];
}

/** Services: plain ones, those that share a load balancer by a name, and a guest on a person's. */
export const SLOTS = ['s1', 's2', 's3', 's4', 'g1', 'g2', 'g3', 'o1'] as const;
export const NODES = 4;
const MINUTE = 60_000;

const OCCM = 'loadbalancer.openstack.org/';
const OURS = 'levelset.openstack.org/';
const annotation = (name: string, ...values: readonly string[]): fc.Arbitrary<Setting> =>
  fc
    .option(fc.constantFrom(...values), { nil: undefined, freq: 4 })
    .map((value) => ({ annotations: { [name]: value } }));

/** What a user may set; `test/e2e/chaos/expected.ts` knows what each means. */
const setting: fc.Arbitrary<Setting> = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 6 }).map((ports) => ({ ports })) },
  annotation(`${OCCM}connection-limit`, '1000', '20000'),
  annotation(`${OCCM}timeout-client-data`, '60000', '90000'),
  annotation(`${OCCM}timeout-member-connect`, '2000'),
  annotation(`${OCCM}timeout-member-data`, '70000'),
  annotation(`${OCCM}lb-method`, 'LEAST_CONNECTIONS', 'SOURCE_IP'),
  annotation(`${OCCM}proxy-protocol`, 'true', 'v2'),
  annotation(`${OCCM}x-forwarded-for`, 'true'),
  annotation(`${OURS}protocol`, 'http'),
  annotation(`${OCCM}enable-health-monitor`, 'false'),
  fc.constantFrom<Setting>(
    ...[
      [undefined, undefined],
      ['5', '2'],
      ['7', '3'],
    ].map(([delay, timeout]) => ({
      annotations: { [`${OCCM}health-monitor-delay`]: delay, [`${OCCM}health-monitor-timeout`]: timeout },
    })),
  ),
  annotation(`${OCCM}health-monitor-max-retries`, '2', '4'),
  annotation(`${OCCM}health-monitor-max-retries-down`, '3'),
  annotation(`${OURS}monitor-type`, 'HTTP', 'TLS-HELLO'),
  annotation(`${OURS}monitor-url-path`, '/healthz'),
  annotation(`${OCCM}hostname`, 'app.example.org'),
  annotation(`${OCCM}node-selector`, 'chaos=a', 'chaos=b'),
  annotation(`${OURS}tags`, 'chaos-red', 'chaos-red,chaos-blue'),
  annotation('service.beta.kubernetes.io/openstack-internal-load-balancer', 'true', 'false'),
  fc.constantFrom<Setting>(
    { spec: { sessionAffinity: 'ClientIP' } },
    { spec: { sessionAffinity: undefined } },
    { spec: { externalTrafficPolicy: 'Local' } },
    { spec: { externalTrafficPolicy: undefined } },
    { spec: { loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.0/24'] } },
    { spec: { loadBalancerSourceRanges: undefined } },
  ),
);

const slot = fc.nat({ max: SLOTS.length - 1 });
const seconds = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const user: fc.Arbitrary<UserEdit> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ slot, does: fc.constant('change' as const), setting }) },
  { weight: 1, arbitrary: fc.record({ slot, does: fc.constant('delete' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      slot,
      does: fc.constant('type' as const),
      type: fc.constantFrom<Type[]>('ClusterIP', 'NodePort', 'LoadBalancer', 'LoadBalancer', 'LoadBalancer'),
    }),
  },
);

const node: fc.Arbitrary<NodeEdit> = fc.record({
  node: fc.nat({ max: NODES - 1 }),
  does: fc.constantFrom(...NODE_EDITS),
});

const operator: fc.Arbitrary<OperatorEdit> = fc.record({
  slot,
  does: fc.constantFrom(...OPERATOR_EDITS),
  which: fc.nat({ max: 5 }),
});

const trouble: fc.Arbitrary<TroubleEdit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('api' as const),
      api: fc.constantFrom<ServiceType[]>('load-balancer', 'network', 'identity', 'compute'),
      trouble: fc.constantFrom<Trouble[]>('stopped', 'stopped', 'silent', 500, 503),
      seconds: seconds(3, 15),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('webhook' as const), seconds: seconds(5, 25) }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('kill' as const), seconds: seconds(0, 8) }) },
);

/** Four people who know nothing of each other, each with so many edits a minute, at moments of their own. */
export function scriptOf(seed: number, minutes: number): Script {
  const draw = <T>(edit: fc.Arbitrary<T>, perMinute: number, nth: number): readonly Due<T>[] => {
    const due = fc.record({
      at: fc.noBias(fc.integer({ min: 0, max: minutes * MINUTE })),
      edit: fc.noBias(edit),
    });
    const drawn = fc.sample(due, { seed: seed + nth, numRuns: Math.ceil(minutes * perMinute) });
    return drawn.toSorted((a, b) => a.at - b.at);
  };
  return {
    users: draw(user, 12, 1),
    nodes: draw(node, 4, 2),
    operators: draw(operator, 10, 3),
    troubles: draw(trouble, 3, 4),
  };
}
