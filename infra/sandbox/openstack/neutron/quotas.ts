import type { Rows } from '../rows.ts';
import type { Answer } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';

/** The project's own limits, and with `details` what it uses of them. */
export function answerQuotas(
  world: CloudState,
  id: string,
  sub: string | undefined,
  projectId: string,
): Answer {
  if (id !== projectId) {
    const text =
      'User does not have admin privileges: Only admin is authorized to access quotas for another project.';
    throw neutronError(403, 'AdminRequired', text);
  }
  const used = (rows: Pick<Rows<never>, 'count'>): number => rows.count('project_id', projectId);
  const { port, floatingip, security_group, security_group_rule } = world.quotas;
  const plain = {
    network: 100,
    subnet: 100,
    port,
    router: 10,
    floatingip,
    security_group,
    security_group_rule,
    ...(world.octaviaTraits.hasRouteQuota ? { router_route: world.maxRoutes } : {}),
  };
  if (sub !== 'details') return { status: 200, body: { quota: plain } };
  const counts: Record<string, number> = {
    port: used(world.ports),
    floatingip: used(world.floatingips),
    security_group: used(world.securityGroups),
    security_group_rule: used(world.securityGroupRules),
    network: used(world.networks),
    subnet: used(world.subnets),
    router: used(world.routers),
  };
  const detail = Object.entries(plain).map(([name, limit]) => [
    name,
    { limit, used: counts[name] ?? 1, reserved: 0 },
  ]);
  return { status: 200, body: { quota: Object.fromEntries(detail) as Json } };
}

/** Refuses one object besides those there are and `more` if the project may not have it. */
export function checkQuota(
  world: CloudState,
  kind: 'port' | 'floatingip' | 'security_group' | 'security_group_rule',
  rows: Pick<Rows<never>, 'count'>,
  owner: string,
  more = 0,
): void {
  const limit = world.quotas[kind];
  if (limit >= 0 && rows.count('project_id', owner) + more >= limit)
    throw neutronError(409, 'OverQuota', `Quota exceeded for resources: ['${kind}'].`);
}
