/** What a load balancer listens with, and the secrets it shows. */
import { cloudSuite } from './cloud-suite.ts';
import { listenerAttributeCases } from './listener-attribute-cases.ts';
import { listenerCases } from './listener-cases.ts';
import { listenerTlsCases } from './listener-tls-cases.ts';
import { secretCases } from './secret-cases.ts';

cloudSuite({
  'listeners, pools and monitors': listenerCases,
  'attributes of listeners': listenerAttributeCases,
  'TLS of listeners': listenerTlsCases,
  secrets: secretCases,
});
