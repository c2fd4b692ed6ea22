/** Load balancers as a whole, how they are found and locked. */
import { balancerCases } from './balancer-cases.ts';
import { balancerQueryCases } from './balancer-query-cases.ts';
import { cloudSuite } from './cloud-suite.ts';
import { lockCases } from './lock-cases.ts';

cloudSuite({
  'load balancers': balancerCases,
  'lists and look-ups': balancerQueryCases,
  'the lock': lockCases,
});
