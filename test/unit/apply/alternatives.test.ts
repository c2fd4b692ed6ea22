import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../shared/memory/memory.ts';
import { apply } from '../../../shared/apply/apply.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { ErrorCode } from '../../../shared/model/errors.ts';
import type { CreateStep } from '../../../shared/model/plan.ts';
import type { Attributes, ResourceKind, WireResource } from '../../../shared/model/resources.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { secretsOf } from '../../support/tls-secret.ts';

/** Has free addresses in some subnets only. */
class FullCloud extends SimulatedCloud {
  readonly asked: unknown[] = [];
  readonly #free: readonly string[];
  readonly #code: ErrorCode;

  constructor(free: readonly string[], code: ErrorCode = 'ADDRESSES_EXHAUSTED') {
    super();
    this.#free = free;
    this.#code = code;
  }

  override create(kind: ResourceKind, attributes: Attributes): Promise<WireResource> {
    this.asked.push(attributes['subnet_id']);
    return this.#free.includes(String(attributes['subnet_id']))
      ? Promise.resolve({ ...attributes, id: `${kind} 1` })
      : Promise.reject(new ReconcileError(this.#code, 'No more IP addresses available'));
  }
}

const STEP: CreateStep = {
  verb: 'create',
  kind: 'floatingip',
  address: 'floatingip',
  attributes: { floating_network_id: 'n', subnet_id: 'a' },
  alternatives: [{ subnet_id: 'b' }, { subnet_id: 'c' }],
};

async function run(cloud: FullCloud, remaining = 60_000) {
  let left = remaining;
  const budget = { remainingMs: () => (left -= 4_000) };
  return apply([STEP], [], { cloud, kube: secretsOf({}), budget, memory: newMemory(), clock: Date });
}

describe('a create with alternatives', () => {
  test('takes the first that has a free address, and says which', async () => {
    const cloud = new FullCloud(['b', 'c']);
    const applied = await run(cloud);
    expect(cloud.asked).toEqual(['a', 'b']);
    expect(applied.steps).toMatchObject([{ attributes: { floating_network_id: 'n', subnet_id: 'b' } }]);
    expect(applied.known.get('floatingip')).toMatchObject({ subnet_id: 'b' });
    expect(applied.error).toBeUndefined();
  });

  test('does not try another one after any other refusal', async () => {
    const cloud = new FullCloud(['b'], 'QUOTA_EXCEEDED');
    expect(await run(cloud)).toMatchObject({ steps: [], error: { code: 'QUOTA_EXCEEDED' } });
    expect(cloud.asked).toEqual(['a']);
  });

  test('nor when the time is up', async () => {
    const cloud = new FullCloud(['c']);
    expect(await run(cloud, 10_000)).toMatchObject({ error: { code: 'ADDRESSES_EXHAUSTED' } });
    expect(cloud.asked).toEqual(['a']);
  });
});
