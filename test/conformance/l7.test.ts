/** Which requests go elsewhere. */
import { cloudSuite } from './cloud-suite.ts';
import { l7PolicyCases } from './octavia/l7-policy-cases.ts';
import { l7RuleCases } from './octavia/l7-rule-cases.ts';

cloudSuite({
  'L7 policies': l7PolicyCases,
  'L7 rules': l7RuleCases,
});
