import { goesToPods } from '../../model/load-balancer/service-endpoints.ts';
import type { Problem } from '../../model/plan.ts';
import type { ListenerProtocol } from '../../model/resources.ts';
import { localHealthPort } from './desire-monitor.ts';
import { protocolsOf } from '../intent/protocols.ts';
import type { PortIntent } from '../intent/read-annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

interface Use {
  /** Whether a port has a use for it. */
  readonly isFor: (port: AskedPort) => boolean;
  readonly what: readonly string[];
  readonly because: string;
}

interface AskedPort {
  readonly portIntent: PortIntent;
  readonly speaks: ListenerProtocol;
  /** Traffic stays on the node, so that its members are checked whatever is asked for. */
  readonly isLocal: boolean;
}

const USES: readonly Use[] = [
  {
    isFor: ({ speaks }) => speaks === 'TERMINATED_HTTPS',
    what: [
      ...['tls_versions', 'tls_ciphers', 'alpn_protocols', 'client_authentication'],
      ...['hsts_max_age', 'hsts_include_subdomains', 'hsts_preload'],
      ...['clientCa', 'clientCrl', 'lowTls'],
    ],
    because: 'no port that it is for ends TLS, which takes a certificate',
  },
  {
    isFor: ({ speaks }) => speaks === 'HTTP',
    what: ['redirectHttp'],
    because: 'no port that it is for speaks HTTP',
  },
  {
    isFor: ({ portIntent }) => portIntent.ServicePort.redirectHttp === true,
    what: ['redirectHost', 'redirectHttpCode'],
    because: 'no port that it is for is redirected (levelset.openstack.org/redirect-http)',
  },
  {
    isFor: ({ portIntent, isLocal }) => portIntent.ServicePort.monitor === true || isLocal,
    what: [
      ...['delay', 'timeout', 'max_retries', 'max_retries_down', 'type', 'url_path', 'expected_codes'],
      ...['http_method', 'http_version', 'domain_name'],
    ],
    because: 'members are not checked (loadbalancer.openstack.org/enable-health-monitor)',
  },
];

/** What asks for nothing. */
const NOTHING: readonly unknown[] = [undefined, false, 'NONE'];

/**
 * What is asked for ports of which none has a use for it. Somebody who asks clients for certificates may believe that nobody
 * else comes in: that stops the unit (decision 62).
 */
export function uselessSettings({ service, annotated }: ServiceIntent): readonly Problem[] {
  const ports = (service.spec.ports ?? []).flatMap((port, index) => {
    const portIntent = annotated.ports[index];
    const isLocal = !goesToPods(service, port) && localHealthPort({ service }) !== undefined;
    return portIntent ? [{ portIntent, speaks: protocolsOf(port, portIntent).listener, isLocal }] : [];
  });
  return USES.flatMap(({ isFor, what, because }) =>
    what.flatMap((setting) => {
      const users = ports.filter(isFor);
      const useful = users.flatMap(({ portIntent }) => nameOf(setting, portIntent) ?? []);
      const useless = ports
        .map(({ portIntent }) => portIntent)
        .filter(
          (portIntent) => !useful.includes(nameOf(setting, portIntent) ?? '') && isAsked(setting, portIntent),
        );
      const stops = setting === 'client_authentication';
      const found = useless.flatMap((portIntent) => problemOf(setting, portIntent, because, stops));
      return [...new Map(found.map((problem) => [problem.field, problem])).values()];
    }),
  );
}

function problemOf(
  setting: string,
  portIntent: PortIntent,
  because: string,
  stops: boolean,
): readonly Problem[] {
  const { name, text } = spelledIn(setting, portIntent) ?? {};
  if (name === undefined || text === undefined) return [];
  const message = `is not applied: ${because}`;
  return [
    stops
      ? { field: name, value: text, message: `${message}; nothing is changed until one does`, blocking: true }
      : { field: name, value: text, message },
  ];
}

function isAsked(setting: string, { listener, healthmonitor, ServicePort }: PortIntent): boolean {
  const values: Readonly<Record<string, unknown>> = { ...healthmonitor, ...listener, ...ServicePort };
  return !NOTHING.includes(values[setting]);
}

function nameOf(setting: string, portIntent: PortIntent): string | undefined {
  return spelledIn(setting, portIntent)?.name;
}

function spelledIn(setting: string, { spelled }: PortIntent): PortIntent['spelled'][string] {
  return (
    spelled[`listener.${setting}`] ?? spelled[`ServicePort.${setting}`] ?? spelled[`healthmonitor.${setting}`]
  );
}
