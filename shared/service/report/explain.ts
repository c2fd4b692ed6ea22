import type { Problem } from '../../model/plan.ts';
import { asServiceKey } from '../../model/request.ts';
import type { Key } from '../../model/request.ts';
import type { World } from '../../ports.ts';
import { evaluate, nodesOf } from '../evaluate.ts';
import { effectiveValues, overruledValues } from '../intent/effective-values.ts';
import type { EffectiveValue } from '../intent/effective-values.ts';
import { isOurs, unitOf } from '../unit.ts';

interface ExplainedValue extends EffectiveValue {
  /** Among what does not count is something about what set the value. */
  readonly questioned?: true;
}

/** Why the values of a Service are what they are, as its plan was made with them. */
export interface ExplainedService {
  /** `service/NAMESPACE/NAME`. */
  readonly unit: Key;
  /** Whether levelset looks after the Service. */
  readonly isOurs: boolean;
  readonly values: readonly ExplainedValue[];
  /** What does not count, and why: the Problems of the plan, and what something else goes before. */
  readonly ignored: readonly Problem[];
}

/** Evaluates a Service and writes nothing. Undefined if there is no such Service. Throws ReconcileError. */
export async function explainService(key: Key, world: World): Promise<ExplainedService | undefined> {
  const name = asServiceKey(key);
  const service = name && (await world.kube.getService(name.namespace, name.name));
  if (!service) return undefined;
  const { config, kube } = world;
  const unit = unitOf(key, name, service, config);
  const cluster = { id: await kube.clusterId(), name: config.clusterName };
  const { intent, plan } = await evaluate(unit, await nodesOf(unit, world), world, cluster);
  const told = { unit: key, isOurs: isOurs(service, config) };
  if (!intent) return { ...told, values: [], ignored: plan.problems };
  const ignored = [...plan.problems, ...overruledValues(intent)];
  const questioned = new Set(ignored.flatMap(({ field }) => [field, `annotation ${field}`]));
  const values = effectiveValues(intent).map((one): ExplainedValue => {
    return questioned.has(one.setBy) ? { ...one, questioned: true } : one;
  });
  return { ...told, values, ignored };
}
