import { parseCidr } from '../../model/network/cidr.ts';
import type { Lease, Node } from '../../model/kubernetes.ts';
import type { CidrClaim } from '../../model/node/node-records.ts';
import { TAG_PREFIX } from '../../model/ownership.ts';
import type { CidrClaims } from '../../ports.ts';
import type { KubeHttp } from '../kube-http.ts';
import { listAllObjects, toSelector, leasePath } from '../kube-objects.ts';

const CIDR_LABEL = { 'levelset.openstack.org/lease': 'cidr' };
const PREFIX = `${TAG_PREFIX}cidr-`;
const CONFLICT = 409;

/**
 * Claims of CIDRs. Each is a Lease of our namespace that is named after its CIDR: a name can be taken only once. Its holder
 * is the Node's UID, without a time. The Node is its owner, so that Kubernetes' garbage collector may release it, too.
 */
export class LeaseClaims implements CidrClaims {
  private readonly http: KubeHttp;
  private readonly namespace: string;

  constructor(http: KubeHttp, namespace: string) {
    this.http = http;
    this.namespace = namespace;
  }

  async list(): Promise<readonly CidrClaim[]> {
    const leases = await listAllObjects(this.http, {
      kind: 'Lease',
      path: leasePath(this.namespace),
      query: { labelSelector: toSelector(CIDR_LABEL) },
      doing: `list the Leases of CIDRs in ${this.namespace}`,
    });
    return leases.flatMap((lease) => readClaim(lease) ?? []);
  }

  async claim(cidr: string, { metadata }: Node): Promise<boolean> {
    const { name: node, uid } = metadata;
    const name = leaseName(cidr);
    const owner = { apiVersion: 'v1', kind: 'Node', name: node, uid };
    const answer = await this.http({
      method: 'POST',
      path: leasePath(this.namespace),
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, labels: CIDR_LABEL, ownerReferences: [owner] },
        spec: { holderIdentity: uid },
      },
      doing: `take ${cidr} for Node ${node} (Lease ${this.namespace}/${name})`,
      expected: [CONFLICT],
    });
    return answer.status !== CONFLICT;
  }

  async release({ cidr, lease: { uid, resourceVersion } }: CidrClaim): Promise<void> {
    const name = leaseName(cidr);
    await this.http({
      method: 'DELETE',
      path: leasePath(this.namespace, name),
      body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } },
      doing: `delete Lease ${this.namespace}/${name}`,
      expected: [404, CONFLICT],
    });
  }
}

/** The name of a claim, without colons and slash: `levelset-cidr-10.244.3.0-24`, `levelset-cidr-fd00-10-3---64`. */
function leaseName(cidr: string): string {
  return PREFIX + (parseCidr(cidr)?.text ?? cidr).replace(/[:/]/g, '-');
}

/** The claim that a Lease is; undefined for one that is not named after a CIDR. */
function readClaim({ metadata, spec }: Lease): CidrClaim | undefined {
  const { name, uid, resourceVersion, ownerReferences } = metadata;
  const [, address = '', length = ''] = /^levelset-cidr-(.+)-(\d+)$/.exec(name) ?? [];
  const cidr = parseCidr(`${address.includes('.') ? address : address.replaceAll('-', ':')}/${length}`);
  if (!cidr) return undefined;
  const holder = spec?.holderIdentity ?? '';
  const node = ownerReferences?.find((owner) => owner.uid === holder)?.name ?? '';
  return { cidr: cidr.text, node, uid: holder, lease: { uid, resourceVersion } };
}
