/** Load balancers as a whole, how they are found and locked. */
import { balancerCases } from './octavia/balancer-cases.ts';
import { balancerQueryCases } from './octavia/balancer-query-cases.ts';
import { cloudSuite } from './cloud-suite.ts';
import { lockCases } from './octavia/lock-cases.ts';

cloudSuite({
  'load balancers': balancerCases,
  'lists and look-ups': balancerQueryCases,
  'the lock': lockCases,
});
