/** Load balancers as a whole, how they are found, locked and addressed. */
import { balancerCases } from './balancer-cases.ts';
import { balancerQueryCases } from './balancer-query-cases.ts';
import { cloudSuite } from './cloud-suite.ts';
import { dualStackCases } from './dual-stack-cases.ts';
import { lockCases } from './lock-cases.ts';
import { vipCases } from './vip-cases.ts';

cloudSuite({
  'load balancers': balancerCases,
  'lists and look-ups': balancerQueryCases,
  'the lock': lockCases,
  VIPs: vipCases,
  'VIPs of both families': dualStackCases,
});
