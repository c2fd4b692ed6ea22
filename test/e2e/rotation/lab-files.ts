/** Run every time, or with one of five in turn. */
export type Part = 'core' | (typeof PARTS)[number];
export const PARTS = [1, 2, 3, 4, 5] as const;

export interface LabFile {
  readonly part: Part;
  /** About how long it takes on two cores: long ones begin first, and the parts are of equal length. */
  readonly seconds: number;
}

/** In this folder stand files that run another one of the suite once more, on the oldest Kubernetes that is supported. */
export const OLDEST = 'test/e2e/oldest/';
/** What begins with one of these has the oldest Kubernetes beside the newest one: all in the first part, so that four of five runs do not start it. */
export const WITH_OLDEST = [OLDEST, 'test/e2e/clusters/'];

/** Create, change, delete, nodes that join and leave, taking over, sharing, routes, and traffic through all of it. */
const CORE: Readonly<Record<string, number>> = {
  'test/e2e/node/nodes.test.ts': 282,
  'test/e2e/service/sharing.test.ts': 344,
  'test/e2e/service/takeover.test.ts': 508,
  'test/e2e/service/service.test.ts': 335,
  'test/e2e/lambda/chain.test.ts': 125,
  'test/e2e/routes/routes.test.ts': 77,
};

/** The others by their seconds, which `npm run test:lab` prints. */
const IN_TURN: Readonly<Record<string, number>> = {
  'test/conformance/kubernetes.test.ts': 3,
  'test/conformance/l7.test.ts': 72,
  'test/conformance/listeners.test.ts': 217,
  'test/conformance/load-balancers.test.ts': 188,
  'test/conformance/networks.test.ts': 114,
  'test/conformance/pools.test.ts': 206,
  'test/conformance/queue/queue.test.ts': 12,
  'test/conformance/servers.test.ts': 70,
  'test/conformance/vips.test.ts': 47,
  'test/e2e/chaos/chaos.test.ts': 563,
  'test/e2e/clusters/two-clusters.test.ts': 119,
  'test/e2e/documents/cluster.test.ts': 67,
  'test/e2e/documents/lambda.test.ts': 72,
  'test/e2e/install/admission-policy.test.ts': 30,
  'test/e2e/install/chart-network.test.ts': 15,
  'test/e2e/install/chart.test.ts': 20,
  'test/e2e/install/image.test.ts': 89,
  'test/e2e/install/ipv6.test.ts': 20,
  'test/e2e/install/knative.test.ts': 15,
  'test/e2e/install/promtool.test.ts': 15,
  'test/e2e/install/proxy.test.ts': 25,
  'test/e2e/install/release.test.ts': 592,
  'test/e2e/lab.test.ts': 10,
  'test/e2e/lambda/template.test.ts': 30,
  'test/e2e/node/node-initialisation.test.ts': 74,
  'test/e2e/node/node-lifecycle.test.ts': 90,
  'test/e2e/oldest/chart-network.test.ts': 15,
  'test/e2e/oldest/chart.test.ts': 20,
  'test/e2e/oldest/dual-stack.test.ts': 67,
  'test/e2e/oldest/node-initialisation.test.ts': 78,
  'test/e2e/oldest/node-lifecycle.test.ts': 92,
  'test/e2e/oldest/service.test.ts': 164,
  'test/e2e/oldest/traffic-policy-local.test.ts': 60,
  'test/e2e/rights/each-rule.test.ts': 81,
  'test/e2e/service/annotations.test.ts': 280,
  'test/e2e/service/approval.test.ts': 40,
  'test/e2e/service/client-certificates.test.ts': 63,
  'test/e2e/service/dual-stack.test.ts': 65,
  'test/e2e/service/pods.test.ts': 65,
  'test/e2e/service/protocols.test.ts': 134,
  'test/e2e/service/repair.test.ts': 136,
  'test/e2e/service/security-groups.test.ts': 152,
  'test/e2e/service/tls.test.ts': 86,
  'test/e2e/service/traffic-policy-local.test.ts': 60,
};

/** Every test file that needs the lab, the longest first; each goes to the part that is the shortest when it comes. */
export const LAB_FILES: Readonly<Record<string, LabFile>> = Object.fromEntries([
  ...Object.entries(CORE).map(([file, seconds]): [string, LabFile] => [file, { part: 'core', seconds }]),
  ...inParts(),
]);

function inParts(): readonly [string, LabFile][] {
  const hasOldest = (file: string): boolean => WITH_OLDEST.some((begin) => file.startsWith(begin));
  const length = new Map<LabFile['part'], number>(PARTS.map((part) => [part, 0]));
  const longestFirst = Object.entries(IN_TURN).sort(([, a], [, b]) => b - a);
  return [
    ...longestFirst.filter(([file]) => hasOldest(file)),
    ...longestFirst.filter(([file]) => !hasOldest(file)),
  ].map(([file, seconds]) => {
    const [shortest] = PARTS.toSorted((a, b) => (length.get(a) ?? 0) - (length.get(b) ?? 0));
    const part = hasOldest(file) ? 1 : (shortest ?? 1);
    length.set(part, (length.get(part) ?? 0) + seconds);
    return [file, { part, seconds }];
  });
}
