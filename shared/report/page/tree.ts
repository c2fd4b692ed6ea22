import { markup, type Html } from './markup.ts';
import type { TreePart } from './object-view.ts';
import { healthOf } from './sync.ts';

/** One part of a load balancer with what is below it. What does not serve stands first, so that nobody looks for it. */
export function tree(part: TreePart): Html {
  const { kind, title, operatingStatus, provisioningStatus, others, parts } = part;
  const health = healthOf({ operatingStatus });
  const settled = provisioningStatus === 'ACTIVE' ? undefined : markup` <b>${provisioningStatus}</b>`;
  const below = [...parts].sort((a, b) => rank(a) - rank(b));
  return markup`<li><span class="kind">${kind}</span> ${title}
      <span class="health ${health}">${operatingStatus ?? 'not told'}</span>${settled}${others && markup` <small>not this Service's</small>`}
      ${below.length > 0 ? markup`<ul role="list">${below.map(tree)}</ul>` : undefined}</li>`;
}

const RANKS = ['down', 'degraded', 'none', 'serving'] as const;

function rank({ operatingStatus }: TreePart): number {
  return RANKS.indexOf(healthOf({ operatingStatus }));
}
