import type { Problem } from '../model/plan.ts';
import type { ListenerProtocol } from '../model/resources.ts';
import { protocolsOf } from './protocols.ts';
import type { PortAnnotated } from './read-annotations.ts';
import type { Wishes } from './wishes.ts';

interface Use {
  /** Which ports have a use for it. */
  readonly listener: ListenerProtocol;
  readonly what: readonly string[];
  readonly because: string;
}

const USES: readonly Use[] = [
  {
    listener: 'TERMINATED_HTTPS',
    what: [
      ...['tls_versions', 'tls_ciphers', 'alpn_protocols', 'client_authentication'],
      ...['hsts_max_age', 'hsts_include_subdomains', 'hsts_preload'],
      ...['clientCa', 'clientCrl', 'lowTls'],
    ],
    because: 'no port that it is for ends TLS, which takes a certificate',
  },
  { listener: 'HTTP', what: ['redirectHttp'], because: 'no port that it is for speaks HTTP' },
];

/** What asks for nothing. */
const NOTHING: readonly unknown[] = [undefined, false, 'NONE'];

/**
 * What is asked for ports of which none has a use for it. Somebody who asks clients for certificates may believe that nobody
 * else comes in: that stops the unit (decision 62).
 */
export function uselessSettings({ service, annotated }: Wishes): readonly Problem[] {
  const ports = (service.spec.ports ?? []).flatMap((port, index) => {
    const asked = annotated.ports[index];
    return asked ? [{ asked, speaks: protocolsOf(port, asked).listener }] : [];
  });
  return USES.flatMap(({ listener, what, because }) =>
    what.flatMap((setting) => {
      const users = ports.filter(({ speaks }) => speaks === listener);
      const useful = users.flatMap(({ asked }) => nameOf(setting, asked) ?? []);
      const useless = ports
        .map(({ asked }) => asked)
        .filter((asked) => !useful.includes(nameOf(setting, asked) ?? '') && isAsked(setting, asked));
      const stops = setting === 'client_authentication';
      const found = useless.flatMap((asked) => problemOf(setting, asked, because, stops));
      return [...new Map(found.map((problem) => [problem.field, problem])).values()];
    }),
  );
}

function problemOf(
  setting: string,
  asked: PortAnnotated,
  because: string,
  stops: boolean,
): readonly Problem[] {
  const { name, text } = spelledIn(setting, asked) ?? {};
  if (name === undefined || text === undefined) return [];
  const message = `is not applied: ${because}`;
  return [
    stops
      ? { field: name, value: text, message: `${message}; nothing is changed until one does`, blocking: true }
      : { field: name, value: text, message },
  ];
}

function isAsked(setting: string, { listener, ServicePort }: PortAnnotated): boolean {
  const values: Readonly<Record<string, unknown>> = { ...listener, ...ServicePort };
  return !NOTHING.includes(values[setting]);
}

function nameOf(setting: string, asked: PortAnnotated): string | undefined {
  return spelledIn(setting, asked)?.name;
}

function spelledIn(setting: string, { spelled }: PortAnnotated): PortAnnotated['spelled'][string] {
  return spelled[`listener.${setting}`] ?? spelled[`ServicePort.${setting}`];
}
