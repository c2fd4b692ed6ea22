/** Run every time, or with one of seven in turn. */
export type Part = 'core' | (typeof PARTS)[number];
export const PARTS = [1, 2, 3, 4, 5, 6, 7] as const;

export interface LabFile {
  readonly part: Part;
  /** About how long it takes on two cores: long ones begin first, and the parts are of equal length. */
  readonly seconds: number;
}

/** In this folder stand files that run another one of the suite once more, on the oldest Kubernetes that is supported. */
export const OLDEST = 'test/e2e/oldest/';
/** What begins with one of these has the oldest Kubernetes beside the newest one. */
export const WITH_OLDEST = [OLDEST, 'test/e2e/clusters/', 'test/e2e/lambda/clusters.test.ts'];

/**
 * Every test file that needs the lab. The core: create, change, delete, nodes that join and leave, taking over, sharing,
 * routes, and traffic through all of it. A new file goes to the shortest part; `npm run test:lab` prints the seconds. What
 * needs the oldest Kubernetes is in the first part alone, so that six of seven runs do not start it.
 */
export const LAB_FILES: Readonly<Record<string, LabFile>> = {
  'test/e2e/node/nodes.test.ts': { part: 'core', seconds: 200 },
  'test/e2e/service/sharing.test.ts': { part: 'core', seconds: 214 },
  'test/e2e/service/takeover.test.ts': { part: 'core', seconds: 208 },
  'test/e2e/service/service.test.ts': { part: 'core', seconds: 127 },
  'test/e2e/lambda/chain.test.ts': { part: 'core', seconds: 100 },
  'test/e2e/routes/routes.test.ts': { part: 'core', seconds: 60 },

  'test/e2e/clusters/two-clusters.test.ts': { part: 1, seconds: 60 },
  'test/e2e/oldest/service.test.ts': { part: 1, seconds: 127 },
  'test/e2e/oldest/node-initialisation.test.ts': { part: 1, seconds: 42 },
  'test/e2e/oldest/routes-dual-stack.test.ts': { part: 1, seconds: 15 },
  'test/e2e/lambda/clusters.test.ts': { part: 1, seconds: 150 },
  'test/e2e/oldest/watch.test.ts': { part: 1, seconds: 110 },
  'test/e2e/oldest/traffic-policy-local.test.ts': { part: 1, seconds: 79 },
  'test/e2e/oldest/node-lifecycle.test.ts': { part: 1, seconds: 94 },
  'test/e2e/oldest/dual-stack.test.ts': { part: 1, seconds: 83 },
  'test/e2e/oldest/chart.test.ts': { part: 1, seconds: 20 },
  'test/e2e/oldest/chart-network.test.ts': { part: 1, seconds: 15 },

  'test/e2e/chaos/chaos.test.ts': { part: 2, seconds: 440 },
  'test/conformance/l7.test.ts': { part: 2, seconds: 92 },
  'test/e2e/documents/cluster.test.ts': { part: 2, seconds: 60 },
  'test/e2e/service/tls.test.ts': { part: 2, seconds: 53 },
  'test/e2e/node/node-initialisation.test.ts': { part: 2, seconds: 42 },

  'test/e2e/service/openstack-in-trouble.test.ts': { part: 3, seconds: 280 },
  'test/e2e/rights/each-rule.test.ts': { part: 3, seconds: 120 },
  'test/e2e/node/node-lifecycle.test.ts': { part: 3, seconds: 94 },
  'test/conformance/load-balancers.test.ts': { part: 3, seconds: 82 },
  'test/e2e/service/pods.test.ts': { part: 3, seconds: 73 },
  'test/e2e/service/approval.test.ts': { part: 3, seconds: 54 },
  'test/e2e/install/admission-policy.test.ts': { part: 3, seconds: 30 },
  'test/e2e/node/node-cidrs.test.ts': { part: 3, seconds: 28 },
  'test/e2e/install/chart-network.test.ts': { part: 3, seconds: 15 },
  'test/conformance/kubernetes.test.ts': { part: 3, seconds: 3 },

  'test/e2e/service/events.test.ts': { part: 4, seconds: 243 },
  'test/e2e/lambda/long-creates.test.ts': { part: 4, seconds: 110 },
  'test/e2e/lambda/beside-others.test.ts': { part: 4, seconds: 90 },
  'test/e2e/service/dual-stack.test.ts': { part: 4, seconds: 83 },
  'test/e2e/install/image.test.ts': { part: 4, seconds: 75 },
  'test/e2e/service/client-certificates.test.ts': { part: 4, seconds: 58 },
  'test/e2e/node/node-addresses.test.ts': { part: 4, seconds: 47 },
  'test/e2e/lambda/credentials.test.ts': { part: 4, seconds: 45 },
  'test/e2e/service/tcp-and-udp.test.ts': { part: 4, seconds: 37 },
  'test/e2e/install/chart.test.ts': { part: 4, seconds: 20 },
  'test/e2e/rights/cluster-rights.test.ts': { part: 4, seconds: 2 },

  'test/e2e/lambda/faults.test.ts': { part: 5, seconds: 220 },
  'test/conformance/pools.test.ts': { part: 5, seconds: 137 },
  'test/conformance/listeners.test.ts': { part: 5, seconds: 111 },
  'test/conformance/networks.test.ts': { part: 5, seconds: 86 },
  'test/e2e/service/protocols.test.ts': { part: 5, seconds: 79 },
  'test/e2e/documents/lambda.test.ts': { part: 5, seconds: 60 },
  'test/e2e/documents/knative.test.ts': { part: 5, seconds: 40 },
  'test/e2e/install/knative.test.ts': { part: 5, seconds: 15 },
  'test/conformance/queue/queue.test.ts': { part: 5, seconds: 12 },

  'test/e2e/install/release.test.ts': { part: 6, seconds: 200 },
  'test/e2e/service/watch.test.ts': { part: 6, seconds: 110 },
  'test/e2e/service/annotations.test.ts': { part: 6, seconds: 112 },
  'test/e2e/takeover/odd-annotations.test.ts': { part: 6, seconds: 90 },
  'test/e2e/service/orphans.test.ts': { part: 6, seconds: 79 },
  'test/e2e/node/blocked-service.test.ts': { part: 6, seconds: 60 },
  'test/conformance/servers.test.ts': { part: 6, seconds: 48 },
  'test/e2e/doctor/doctor.test.ts': { part: 6, seconds: 40 },
  'test/e2e/service/drift.test.ts': { part: 6, seconds: 25 },

  'test/e2e/service/security-groups.test.ts': { part: 7, seconds: 196 },
  'test/e2e/service/draining.test.ts': { part: 7, seconds: 117 },
  'test/e2e/rights/missing-rule.test.ts': { part: 7, seconds: 90 },
  'test/e2e/service/traffic-policy-local.test.ts': { part: 7, seconds: 79 },
  'test/conformance/vips.test.ts': { part: 7, seconds: 47 },
  'test/e2e/lambda/messages.test.ts': { part: 7, seconds: 40 },
  'test/e2e/service/member-subnet.test.ts': { part: 7, seconds: 50 },
  'test/e2e/lambda/template.test.ts': { part: 7, seconds: 40 },
  'test/e2e/lab.test.ts': { part: 7, seconds: 29 },
  'test/e2e/install/ipv6.test.ts': { part: 7, seconds: 20 },
  'test/e2e/install/proxy.test.ts': { part: 7, seconds: 25 },
  'test/e2e/routes/routes-dual-stack.test.ts': { part: 7, seconds: 15 },
  'test/e2e/install/promtool.test.ts': { part: 7, seconds: 15 },
};
