/** What a load balancer listens with, and the secrets it shows. */
import { cloudSuite } from './cloud-suite.ts';
import { listenerAttributeCases } from './octavia/listener-attribute-cases.ts';
import { listenerCases } from './octavia/listener-cases.ts';
import { listenerTlsCases } from './octavia/listener-tls-cases.ts';
import { secretCases } from './barbican/secret-cases.ts';

cloudSuite({
  'listeners, pools and monitors': listenerCases,
  'attributes of listeners': listenerAttributeCases,
  'TLS of listeners': listenerTlsCases,
  secrets: secretCases,
});
