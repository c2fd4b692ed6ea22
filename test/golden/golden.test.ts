import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { newMemory } from '../../shared/memory/memory.ts';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { LoadBalancerConfig } from '../../shared/config/config.ts';
import { compareService } from '../../shared/service/compare-service.ts';
import type { EndpointSlice, Node, Pod, Service } from '../../shared/model/kubernetes.ts';
import { keyOf, serviceKey } from '../../shared/model/request.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { Plan, Step } from '../../shared/model/plan.ts';
import type { Kube } from '../../shared/ports.ts';
import { objectOf } from '../../shared/service/service-object.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { aConfig } from '../support/config.ts';
import { secretsOf } from '../support/tls-secret.ts';
import { contentsOf, type Answers } from './observed.ts';

/**
 * Each folder is a case: a Service and Nodes, what OpenStack answers, and the plan as a person reads it. After a change
 * that is meant, `UPDATE=1 vitest run test/golden` writes the plans anew; read the diff.
 */
const HERE = import.meta.dirname;
const UPDATE = process.env['UPDATE'] === '1';
/** A minute and a half after everything in the cases was made. */
const NOW = Date.parse('2026-11-21T08:01:30Z');
const CLUSTER = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };

const cases = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(HERE, entry.name, 'service.yaml')))
  .map(({ name }) => name)
  .sort();

/** A file of the case, or the one all cases share. */
function read(name: string, file: string): string | undefined {
  const own = join(HERE, name, file);
  const shared = join(HERE, file);
  const path = existsSync(own) ? own : shared;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

async function planOf(name: string): Promise<Plan> {
  const loadBalancer = (parse(read(name, 'cloud.yaml') ?? '{}') ?? {}) as Partial<LoadBalancerConfig>;
  const config = aConfig(undefined, loadBalancer);
  const service = parse(read(name, 'service.yaml') ?? '') as Service;
  const { items } = parse(read(name, 'nodes.yaml') ?? '') as { readonly items: readonly Node[] };
  const observed = JSON.parse(read(name, 'observed.json') ?? '{}') as Answers;
  const key = keyOf(service);
  const object = objectOf(serviceKey(key.namespace, key.name), key, service, config);
  const world = {
    kube: { ...endpointsIn(read(name, 'endpoints.yaml') ?? '{}'), ...secretsOf({}) },
    cloud: new SimulatedCloud(contentsOf(observed), observed.octavia?.minor),
    clock: { now: () => NOW },
    config,
    memory: newMemory(),
  };
  const { plan } = await compareService(object, items, world, CLUSTER);
  return plan;
}

/** Whether the step takes away a resource, members of a pool, or a security group from a port. */
function takesAway(step: Step): boolean {
  if (step.verb === 'members') return step.removed.length > 0;
  if (step.verb === 'delete') return true;
  if (step.verb !== 'update') return false;
  return step.changes.some(({ attribute, from, to }) => {
    if (attribute === 'port_id') return to === null;
    return (
      attribute === 'security_groups' && (from as unknown[]).some((id) => !(to as unknown[]).includes(id))
    );
  });
}

/** What the apiserver knows of the Pods behind the Service. */
function endpointsIn(text: string): Pick<Kube, 'listEndpointSlices' | 'listPods'> {
  const { slices = [], pods = [] } = parse(text) as { slices?: EndpointSlice[]; pods?: Pod[] };
  return {
    listEndpointSlices: () => Promise.resolve(slices),
    listPods: () => Promise.resolve(pods),
  };
}

describe.each(cases)('%s', (name) => {
  const readme = read(name, 'README.md') ?? '';

  test(readme.trim(), async () => {
    const { steps, ...rest } = await planOf(name);
    const plan = `${renderPlan({ ...rest, steps })}\n`;
    const file = join(HERE, name, 'plan.txt');
    if (UPDATE) writeFileSync(file, plan);

    expect(plan).toBe(readFileSync(file, 'utf8'));
    for (const step of steps.filter(takesAway)) expect(step.because, step.address).toMatch(/^\S.{9,100}\S$/);
  });

  test('is told in one sentence', () => {
    expect(readme).toMatch(/^[^\n]+\.\n$/);
  });
});
