import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';
import { desireNode, type DesiredNode } from '../../shared/node/desired/desire-node.ts';
import { attributeRule, equalAttribute } from '../../shared/model/attributes.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import { PROVIDED_NODE_IP, wireOf } from '../../shared/model/node/node.ts';
import type { NodeObject, NodeStatus } from '../../shared/model/resources.ts';
import type { NeutronPort, Server } from '../../shared/model/node/nova.ts';
import { aConfig } from '../support/config.ts';

/**
 * Nodes as they registered, what OpenStack said of their servers, and what OCCM made of them: recorded with Nova, Neutron
 * and a kube-apiserver. `nodes` of the last two files are seen later on, with servers of the first one.
 */
interface Recorded {
  readonly registered: Node;
  readonly initialised: boolean;
  readonly node: Node;
  readonly server: Server;
  readonly ports: readonly NeutronPort[];
}

interface Variant {
  readonly cloud_config: string;
  readonly nodes: Readonly<Record<string, Recorded>>;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'nodes', `${name}.json`), 'utf8'));

/**
 * Where levelset says what OCCM leaves unsaid: `rec-extra` is only in a network that gives no InternalIP, and becomes a
 * Node without addresses.
 */
const SAID: Readonly<Record<string, readonly string[]>> = {
  'internal-network-name: rec-extra': ['status.addresses'],
};

/** What is on the Nodes that were recorded and does not come from OCCM, but from kube-controller-manager. */
const OF_OTHERS = { label: 'beta.kubernetes.io/os', annotation: 'node.alpha.kubernetes.io/ttl' };

const VARIANTS = ['defaults', 'internal-network-name', 'public-network-name'] as const;
const variants = new Map(VARIANTS.map((name) => [name, read(name) as Variant]));
const all = [...variants].flatMap(([variant, { cloud_config, nodes }]) => {
  const config = configOf(cloud_config);
  return Object.entries(nodes).map(([name, recorded]) => ({ variant, name, recorded, config }));
});
const initialised = all.filter(({ recorded }) => recorded.initialised);
const waiting = all.filter(({ recorded }) => !recorded.initialised);

function configOf(cloudConf: string) {
  const { networking, access } = readCloudConf(cloudConf, 'cloud.conf');
  const config = aConfig();
  return { ...config, networking, openstack: { ...config.openstack, region: access.region ?? '' } };
}

function attributesOf({ resources }: DesiredNode): Partial<NodeObject & NodeStatus> {
  return Object.assign({}, ...resources.map(({ attributes }) => attributes)) as Partial<
    NodeObject & NodeStatus
  >;
}

function without(
  entries: Readonly<Record<string, string>> = {},
  key: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));
}

test('there are Nodes that OCCM initialised, and one that it did not', () => {
  expect(initialised).toHaveLength(17);
  expect(waiting.map(({ name }) => name)).toEqual(['rec-two']);
});

describe.each(initialised)('$variant: $name', ({ variant, name, recorded, config }) => {
  const { registered, node, server, ports } = recorded;
  const made = desireNode({ node: registered, server, ports, config });
  const attributes = attributesOf(made);

  test('becomes what it became', () => {
    const { labels, annotations } = registered.metadata;
    expect(made.problems.map(({ field }) => field)).toEqual(SAID[`${variant}: ${name}`] ?? []);
    expect(attributes.addresses).toEqual(node.status?.addresses);
    expect(attributes.providerID).toBe(node.spec?.providerID);
    expect(attributes.taints).toEqual(node.spec?.taints ?? []);
    expect({ ...labels, ...attributes.labels }).toEqual(without(node.metadata.labels, OF_OTHERS.label));
    expect({ ...annotations, ...attributes.annotations }).toEqual(
      without(node.metadata.annotations, OF_OTHERS.annotation),
    );
  });

  test('is level afterwards', () => {
    expect(driftOf(node, desireNode({ node, server, ports, config }))).toEqual([]);
  });
});

test.each(waiting)('$variant: $name waits with its taint, and why is said', ({ recorded, config }) => {
  const { registered, server, ports } = recorded;
  const { resources, problems } = desireNode({ node: registered, server, ports, config });
  expect(resources).toEqual([]);
  expect(problems.map(({ field }) => field)).toEqual([PROVIDED_NODE_IP]);
});

describe.each(['routes', 'lifecycle-stopped'])('%s', (file) => {
  const { nodes, server } = read(file) as { readonly nodes: readonly Node[]; readonly server?: Server };

  test.each(nodes)('$metadata.name is level, whatever else is on it', (node) => {
    const world = all.find(({ name }) => name === node.metadata.name);
    if (!world) throw new Error('there is no server of it in the first file');
    const { recorded, config } = world;
    const made = desireNode({ node, server: server ?? recorded.server, ports: recorded.ports, config });
    expect(made.resources.map(({ kind }) => kind)).toEqual(['nodestatus', 'node']);
    expect(driftOf(node, made)).toEqual([]);
  });
});

/** Attributes that a plan would change. */
function driftOf(node: Node, { resources }: DesiredNode): readonly unknown[] {
  const wire = wireOf(node);
  return resources.flatMap(({ kind, attributes }) =>
    Object.entries(attributes).filter(
      ([name, wish]) => !equalAttribute(attributeRule(kind, name), wish, wire[name]),
    ),
  );
}
