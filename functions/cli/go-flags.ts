/**
 * Flags of the Go cloud-controller-manager that mean nothing here, and why. Names and kinds:
 * docs/sources/kubernetes.md, "Flags of the cloud-controller-manager".
 */
interface GoFlag {
  /** Takes a value: `--name value` as well as `--name=value`. */
  readonly value: boolean;
  readonly because: string;
}

const LEASES = 'a Lease per load balancer keeps two runs apart';
const EVENTS = 'audit events and the sweep say what to look at';
const LISTEN = '--listen says where';
const ACCESS = 'who may call is said by LEVELSET_AUDIT_TOKENS, LEVELSET_RESYNC_TOKENS and --client-ca-file';
const BULK = 'Nodes are read in bulk';

// prettier-ignore
const GO_FLAGS: Readonly<Record<string, GoFlag>> = {
  'cloud-provider':                      { value: true,  because: 'the provider is always OpenStack' },
  'leader-elect':                        { value: false, because: LEASES },
  'leader-elect-lease-duration':         { value: true,  because: LEASES },
  'leader-elect-renew-deadline':         { value: true,  because: LEASES },
  'leader-elect-retry-period':           { value: true,  because: LEASES },
  'leader-elect-resource-lock':          { value: true,  because: LEASES },
  'leader-elect-resource-name':          { value: true,  because: LEASES },
  'leader-elect-resource-namespace':     { value: true,  because: LEASES },
  'cidr-allocator-type':                 { value: true,  because: '--allocate-node-cidrs has one way to do it' },
  'route-reconciliation-period':         { value: true,  because: EVENTS },
  'node-monitor-period':                 { value: true,  because: EVENTS },
  'node-status-update-frequency':        { value: true,  because: EVENTS },
  'node-sync-period':                    { value: true,  because: EVENTS },
  'concurrent-node-syncs':               { value: true,  because: BULK },
  'concurrent-node-status-updates':      { value: true,  because: BULK },
  'min-resync-period':                   { value: true,  because: '--sweep-interval says how often everything is looked at' },
  'controller-start-interval':           { value: true,  because: 'there is nothing to start one after the other' },
  'user-agent':                          { value: true,  because: 'every call says that it is of levelset' },
  'use-service-account-credentials':     { value: false, because: 'one ServiceAccount does all of it' },
  'allow-untagged-cloud':                { value: false, because: 'it never did anything for OpenStack' },
  'kube-api-qps':                        { value: true,  because: 'so few calls are made that none is held back' },
  'kube-api-burst':                      { value: true,  because: 'so few calls are made that none is held back' },
  'kube-api-content-type':               { value: true,  because: 'JSON is spoken' },
  'secure-port':                         { value: true,  because: LISTEN },
  'bind-address':                        { value: true,  because: LISTEN },
  'authentication-kubeconfig':           { value: true,  because: ACCESS },
  'authentication-skip-lookup':          { value: false, because: ACCESS },
  'authorization-kubeconfig':            { value: true,  because: ACCESS },
  'authorization-always-allow-paths':    { value: true,  because: ACCESS },
  'requestheader-client-ca-file':        { value: true,  because: ACCESS },
  'profiling':                           { value: false, because: 'node --inspect does that' },
  'feature-gates':                       { value: true,  because: 'there are none' },
  'logging-format':                      { value: true,  because: 'the log is JSON lines' },
  'logtostderr':                         { value: false, because: 'the log goes to stdout, from warnings up to stderr' },
  'vmodule':                             { value: true,  because: '-v is for the whole program' },
};

/** Flags that take a value here and need none in the Go programs; one of our own as well. */
const BOOLEANS = ['configure-cloud-routes', 'allocate-node-cidrs', 'discover-router'];

/**
 * Takes the Go program's flags that mean nothing here out of a command line, with one line about each, and turns its
 * spelling `-v=4` into `-v 4` and a boolean `--flag` into `--flag=true`. Everything else stays for the real parser.
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
      notes.push(`levelset: --${name} is not needed: ${flag.because}`);
    } else if (word.startsWith('-v=')) {
      rest.push('-v', word.slice('-v='.length));
    } else if (BOOLEANS.some((boolean) => word === `--${boolean}`)) {
      rest.push(`${word}=true`);
    } else {
      rest.push(word);
    }
  }
  return { rest, notes };
}
