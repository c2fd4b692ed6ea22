import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { asList, asText } from '../../../json.ts';
import { octaviaFault } from '../../../refusal.ts';
import { letOctaviaRead } from '../../barbican/acls.ts';
import type { Secret, SecretContainer } from '../../barbican/objects.ts';
import type { CloudState } from '../../cloud-state.ts';
import type { Caller } from '../../keystone/keystone.ts';
import { invalid } from './listener-rules.ts';
import type { Listener } from '../objects.ts';
import { python } from './values.ts';

/**
 * A listener whose certificate is no longer in Barbican. The worker reads it for the delete as well: the listener
 * cannot be deleted, and its load balancer stays PENDING_DELETE for ever (docs/sources/openstack.md, "A certificate
 * that is gone").
 */
export function hasLostCertificate(world: CloudState, listener: Listener): boolean {
  const refs = [listener['default_tls_container_ref'], ...asList(listener['sni_container_refs'])];
  return refs.map(asText).some((ref) => {
    const known =
      world.secrets.byId(idIn(ref, 'secrets')) ?? world.secretContainers.byId(idIn(ref, 'containers'));
    return ref !== '' && !known;
  });
}

const idIn = (ref: string, kind: 'secrets' | 'containers'): string | undefined =>
  new RegExp(`/v1/${kind}/([^/]+)$`).exec(ref)?.[1];

const unreadable =
  'The PKCS12 bundle is unreadable. Please check the PKCS12 bundle validity. In addition, make sure it does not require a pass phrase.';

/**
 * Octavia 11 looks at every certificate that a request names, with the caller's own token: it gives itself the
 * right to read (an ACL), then reads. Keystone trades no token of an application credential for another one, so
 * with such a token no reference resolves (docs/sources/openstack.md, "Certificates and application credentials").
 */
export class Certificates {
  private readonly world: CloudState;
  private readonly caller: Caller;

  constructor(world: CloudState, caller: Caller) {
    this.world = world;
    this.caller = caller;
  }

  /** Certificates with their keys: PKCS12 secrets, or containers of type `certificate`. */
  checkAll(refs: readonly unknown[]): void {
    checkEach(refs, (ref) => this.resolves(ref));
  }

  /** A CA and its revocation list: plain PEM secrets, not containers. */
  checkAuthority(ca: unknown, crl: unknown): void {
    checkEach([ca, crl], (ref) => this.secret(ref)?.payload != null);
    if (typeof ca === 'string') this.checkPem(ca, 'CERTIFICATE', 'CA certificate is', 'certificate');
    if (typeof crl === 'string')
      this.checkPem(crl, 'X509 CRL', 'certificate revocation list is', 'certificate revocation list');
  }

  private checkPem(ref: string, label: string, what: string, format: string): void {
    const text = this.secret(ref)?.payload?.toString() ?? '';
    if (text.includes(`-----BEGIN ${label}-----`)) return;
    const detail = text.includes('-----BEGIN ')
      ? `Valid PEM but no BEGIN ${label} delimiters.`
      : 'Unable to load PEM file.';
    throw invalid(
      `The client authentication ${what} invalid. It must be a valid x509 PEM format ${format}. Error: ${detail}`,
    );
  }

  private resolves(ref: string): boolean {
    const secret = this.secret(ref);
    if (!secret) return this.isCertificate(this.container(ref));
    if (!secret.payload) return false;
    try {
      createSecureContext({ pfx: secret.payload, passphrase: '' });
      return true;
    } catch (error) {
      throw octaviaFault(400, `${unreadable} Error: ${error instanceof Error ? error.message : ''}`);
    }
  }

  /** Whether a container is a certificate: its parts can be parsed, and the key belongs to the certificate. */
  private isCertificate(container: SecretContainer | undefined): boolean {
    if (container?.type !== 'certificate') return false;
    const part = (name: string): Buffer | null | undefined =>
      this.secret(container.secret_refs.find((one) => one.name === name)?.secret_ref ?? '')?.payload;
    try {
      const certificate = new X509Certificate(part('certificate') ?? '');
      return certificate.checkPrivateKey(createPrivateKey(part('private_key') ?? ''));
    } catch {
      return false;
    }
  }

  private secret(ref: string): Secret | undefined {
    return this.read(this.world.secrets.byId(idIn(ref, 'secrets')));
  }

  private container(ref: string): SecretContainer | undefined {
    return this.read(this.world.secretContainers.byId(idIn(ref, 'containers')));
  }

  private read<T extends Secret | SecretContainer>(found: T | undefined): T | undefined {
    if (!found || !this.mayRead(found)) return undefined;
    letOctaviaRead(this.world, found);
    return found;
  }

  private mayRead(one: Secret | SecretContainer): boolean {
    const delegated = this.caller.delegated && !this.world.octaviaTraits.readsForCredentials;
    return one.project_id === this.caller.projectId && !delegated;
  }
}

function checkEach(refs: readonly unknown[], isThere: (ref: string) => boolean): void {
  const bad = refs.map(asText).filter((ref) => ref !== '' && !isThere(ref));
  if (bad.length > 0) throw octaviaFault(400, `Could not retrieve certificate: ${python(bad)}`);
}
