import type { Flag } from './flag.ts';
import { hostPort, serviceAccounts, text } from './read-value.ts';

/** The rows of the table in flags.ts that are about the HTTP server. */
// prettier-ignore
export const SERVER_FLAGS = {
  'listen': {
    topic: 'server', value: 'host:port', read: hostPort, commands: ['serve', 'sandbox'],
    help: 'where the HTTP server listens', default: '127.0.0.1:8080',
  },
  'watch': {
    topic: 'server', commands: ['serve'],
    help: 'watch Services, Nodes, and where the members of a Service follow them its EndpointSlices, instead of waiting for the audit webhook',
  },
  'audit-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'],
    help: 'tokens of /audit and /events beside LEVELSET_AUDIT_TOKENS, with commas or lines between, read again when the file changes', without: 'none',
  },
  'resync-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], help: 'the same for /resync', without: 'none',
  },
  'page-tokens-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve', 'doctor'], help: 'the same for the status page and /metrics', without: 'none',
  },
  'tls-cert-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'certificate of the server, which then speaks HTTPS',
    without: 'plain HTTP',
  },
  'tls-private-key-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'private key of the certificate',
  },
  'allow-plain-http': {
    topic: 'server', commands: ['serve', 'sandbox'],
    help: 'listen beyond loopback without a certificate, where a proxy in front ends TLS',
  },
  'client-ca-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'], go: 'CCM, KCM',
    help: 'certificates of CAs: only clients with a certificate that one of them signed are let in',
    without: 'no client certificate is asked for',
  },
  'events-audience': {
    topic: 'server', value: 'audience', read: text, commands: ['serve'],
    help: 'audience of the OIDC tokens of the cluster that count at /events, beside LEVELSET_AUDIT_TOKENS: those of Knative\'s sources',
    without: 'none counts',
  },
  'events-senders': {
    topic: 'server', value: 'list', read: serviceAccounts, repeatable: true, commands: ['serve'],
    help: 'ServiceAccounts whose OIDC tokens count at /events: NAMESPACE/NAME, or NAMESPACE/* for all of a namespace',
    without: 'all of --state-namespace',
  },
  'audit-client-ca-file': {
    topic: 'server', value: 'file', read: text, commands: ['serve'],
    help: 'certificates of CAs: who shows one that they signed, with the name of the cluster as its common name, needs no token for /audit and /events', without: 'a token is needed',
  },
} as const satisfies Readonly<Record<string, Flag>>;
