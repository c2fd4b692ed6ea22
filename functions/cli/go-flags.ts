import { FLAGS } from '../../shared/config/flags.ts';
import { goBoolean } from '../../shared/config/read-value.ts';

/**
 * A flag of the Go cloud-controller-manager that has no effect here. Names and kinds: docs/sources/kubernetes.md, "Flags of
 * the cloud-controller-manager".
 */
interface GoFlag {
  /** Whether the flag takes a value, as `--name value` or as `--name=value`. */
  readonly value: boolean;
  /** Why levelset does not need the flag, as the end of a sentence. */
  readonly because: string;
}

const LEASES = 'it takes a Lease for each load balancer that it writes';
const EVENTS = 'audit events and the sweep tell it what to look at';
const LISTEN = 'its flag for this is --listen';
const ACCESS = 'LEVELSET_AUDIT_TOKENS, LEVELSET_RESYNC_TOKENS and --client-ca-file say who may call';
const BULK = 'it reads Nodes in bulk';
const FEW_CALLS = 'it makes few calls to the kube-apiserver';

// prettier-ignore
export const GO_FLAGS: Readonly<Record<string, GoFlag>> = {
  'cloud-provider':                      { value: true,  because: 'its provider is always OpenStack' },
  'leader-elect':                        { value: false, because: LEASES },
  'leader-elect-lease-duration':         { value: true,  because: LEASES },
  'leader-elect-renew-deadline':         { value: true,  because: LEASES },
  'leader-elect-retry-period':           { value: true,  because: LEASES },
  'leader-elect-resource-lock':          { value: true,  because: LEASES },
  'leader-elect-resource-name':          { value: true,  because: LEASES },
  'leader-elect-resource-namespace':     { value: true,  because: LEASES },
  'cidr-allocator-type':                 { value: true,  because: '--allocate-node-cidrs works in one way' },
  'route-reconciliation-period':         { value: true,  because: EVENTS },
  'node-monitor-period':                 { value: true,  because: EVENTS },
  'node-status-update-frequency':        { value: true,  because: EVENTS },
  'node-sync-period':                    { value: true,  because: EVENTS },
  'concurrent-node-syncs':               { value: true,  because: BULK },
  'concurrent-node-status-updates':      { value: true,  because: BULK },
  'min-resync-period':                   { value: true,  because: 'its flag for this is --sweep-interval' },
  'controller-start-interval':           { value: true,  because: 'its controllers need no pause between their starts' },
  'user-agent':                          { value: true,  because: 'every call names levelset as its user agent' },
  'use-service-account-credentials':     { value: false, because: 'it has one ServiceAccount' },
  'allow-untagged-cloud':                { value: false, because: 'this has no meaning for OpenStack' },
  'kube-api-qps':                        { value: true,  because: FEW_CALLS },
  'kube-api-burst':                      { value: true,  because: FEW_CALLS },
  'kube-api-content-type':               { value: true,  because: 'it speaks JSON with the kube-apiserver' },
  'secure-port':                         { value: true,  because: LISTEN },
  'bind-address':                        { value: true,  because: LISTEN },
  'authentication-kubeconfig':           { value: true,  because: ACCESS },
  'authentication-skip-lookup':          { value: false, because: ACCESS },
  'authorization-kubeconfig':            { value: true,  because: ACCESS },
  'authorization-always-allow-paths':    { value: true,  because: ACCESS },
  'requestheader-client-ca-file':        { value: true,  because: ACCESS },
  'profiling':                           { value: false, because: 'node --inspect is the profiler' },
  'feature-gates':                       { value: true,  because: 'it has no feature gates' },
  'logging-format':                      { value: true,  because: 'its log is JSON lines' },
  'logtostderr':                         { value: false, because: 'its log goes to stdout, warnings and errors to stderr' },
  'vmodule':                             { value: true,  because: '-v is for the whole program' },
};

/** Flags that take a value here. In the Go programs their name alone means true. */
const BOOLEANS = Object.entries(FLAGS).flatMap(([name, flag]) =>
  'read' in flag && flag.read === goBoolean ? [name] : [],
);

/**
 * Takes the flags that have no effect here out of a command line, with a note about each. Turns `-v=4` into `-v 4`, and the
 * name of a boolean alone into `--name=true`. Everything else stays for the parser, which refuses unknown flags.
 */
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
      // An unknown flag goes to the parser without its value, so that the parser can say which flag was
      // meant.
      rest.push(`--${name}`);
    } else {
      rest.push(word);
    }
  }
  return { rest, notes };
}
