import { FLAGS } from '../../shared/config/flags.ts';
import { goBoolean } from '../../shared/config/read-value.ts';

/** Why levelset needs no flag of a group, the flags of it that take a value, and those whose name alone means true. */
type Group = readonly [because: string, withValue: string, boolean?: string];

/** Names and kinds: docs/sources/kubernetes.md, "Flags of the cloud-controller-manager". */
// prettier-ignore
const GROUPS: readonly Group[] = [
  ['its provider is always OpenStack', 'cloud-provider external-cloud-volume-plugin'],
  ['of its processes one always leads, by the Lease `levelset`', 'leader-elect-lease-duration leader-elect-renew-deadline leader-elect-retry-period leader-elect-resource-lock leader-elect-resource-name leader-elect-resource-namespace leader-migration-config', 'leader-elect enable-leader-migration'],
  ['kube-controller-manager gives Nodes their CIDRs', 'cidr-allocator-type', 'allocate-node-cidrs'],
  ['audit events and the sweep tell it what to look at', 'route-reconciliation-period node-monitor-period node-status-update-frequency node-sync-period'],
  ['it reads Nodes in bulk', 'concurrent-node-syncs concurrent-node-status-updates'],
  ['its flag for this is --sweep-interval', 'min-resync-period'],
  ['its controllers need no pause between their starts', 'controller-start-interval'],
  ['every call names levelset as its user agent', 'user-agent'],
  ['it has one ServiceAccount', '', 'use-service-account-credentials'],
  ['this has no meaning for OpenStack', '', 'allow-untagged-cloud'],
  ['it makes few calls to the kube-apiserver', 'kube-api-qps kube-api-burst'],
  ['it speaks JSON with the kube-apiserver', 'kube-api-content-type'],
  ['the kubeconfig, or the ServiceAccount, says where the kube-apiserver is', 'master'],
  ['its flag for this is --listen', 'secure-port bind-address port address'],
  ['LEVELSET_AUDIT_TOKENS, LEVELSET_RESYNC_TOKENS and --client-ca-file say who may call', 'authentication-kubeconfig authentication-token-webhook-cache-ttl authorization-kubeconfig authorization-always-allow-paths authorization-webhook-cache-authorized-ttl authorization-webhook-cache-unauthorized-ttl requestheader-client-ca-file requestheader-allowed-names requestheader-username-headers requestheader-group-headers requestheader-extra-headers-prefix requestheader-uid-headers', 'authentication-skip-lookup authentication-tolerate-lookup-failure'],
  ['--tls-cert-file and --tls-private-key-file are all that it serves with, by TLS 1.2 or 1.3', 'cert-dir tls-cipher-suites tls-min-version tls-sni-cert-key'],
  ['it serves HTTP/1.1 on one socket', 'http2-max-streams-per-connection', 'disable-http2-serving permit-port-sharing permit-address-sharing'],
  ['it has no webhooks', 'webhooks webhook-bind-address webhook-secure-port webhook-cert-dir webhook-tls-cert-file webhook-tls-private-key-file webhook-tls-cipher-suites webhook-tls-min-version webhook-http2-max-streams-per-connection', 'webhook-disable-http2-serving'],
  ['node --inspect is the profiler', '', 'profiling contention-profiling'],
  ['its metrics have names of their own', 'show-hidden-metrics-for-version disabled-metrics allow-metric-labels allow-metric-labels-manifest'],
  ['it has no feature gates', 'feature-gates emulated-version min-compatibility-version'],
  ['its log is JSON lines', 'logging-format log-json-info-buffer-size log-text-info-buffer-size', 'log-json-split-stream log-text-split-stream'],
  ['its log goes to stdout, warnings and errors to stderr', 'log-dir log-file log-file-max-size log-flush-frequency log-backtrace-at stderrthreshold', 'logtostderr alsologtostderr one-output add-dir-header skip-headers skip-log-headers'],
  ['-v is for the whole program', 'vmodule'],
];

/** The flags of the Go cloud-controller-manager that have no effect here, and the end of a sentence about each. */
export const GO_FLAGS: Readonly<Record<string, { readonly because: string; readonly value: boolean }>> =
  Object.fromEntries(
    GROUPS.flatMap(([because, withValue, boolean = '']) =>
      [withValue, boolean].flatMap((names) =>
        names
          .split(' ')
          .filter(Boolean)
          .map((name) => [name, { because, value: names === withValue }]),
      ),
    ),
  );

/** Flags that take a value here. In the Go programs their name alone means true. */
const BOOLEANS = Object.entries(FLAGS).flatMap(([name, flag]) =>
  'read' in flag && flag.read === goBoolean ? [name] : [],
);

/** Takes flags without effect here out, with a note about each. `-v=4` becomes `-v 4`, and a boolean's name alone `--name=true`. */
export function readGoFlags(argv: readonly string[]): {
  readonly rest: readonly string[];
  readonly notes: readonly string[];
} {
  const rest: string[] = [];
  const notes: string[] = [];
  const words = argv.values();
  for (const word of words) {
    const [, name = '', value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const flag = word.startsWith('--') && Object.hasOwn(GO_FLAGS, name) ? GO_FLAGS[name] : undefined;
    if (flag) {
      if (flag.value && value === undefined) words.next();
      notes.push(`levelset ignores --${name}: ${flag.because}`);
    } else if (word.startsWith('-v=')) {
      rest.push('-v', word.slice('-v='.length));
    } else if (BOOLEANS.some((boolean) => word === `--${boolean}`)) {
      rest.push(`${word}=true`);
    } else if (word.startsWith('--') && value !== undefined && !Object.hasOwn(FLAGS, name)) {
      rest.push(`--${name}`); // without its value the parser can say which flag was meant
    } else {
      rest.push(word);
    }
  }
  return { rest, notes };
}
