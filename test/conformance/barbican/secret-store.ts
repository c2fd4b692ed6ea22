import type { CloudSession } from '../cloud-session.ts';
import { textAt } from '../json-path.ts';

/** Base64 as PEM has it. */
function pem(label: string, base64: readonly string[]): string {
  const lines = base64.join('').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
}

/** A certificate that signed itself, for the name conformance.test and a hundred years. */
export const certificate = pem('CERTIFICATE', [
  'MIIBjTCCATOgAwIBAgIUbpuWKMWLhkGilmw+LRHJ6cjZgH0wCgYIKoZIzj0EAwIwGzEZMBcGA1UEAwwQY29uZm9ybWFuY2UudGVz',
  'dDAgFw0yNjExMjEwOTE0MzBaGA8yMTI2MTAyODA5MTQzMFowGzEZMBcGA1UEAwwQY29uZm9ybWFuY2UudGVzdDBZMBMGByqGSM49',
  'AgEGCCqGSM49AwEHA0IABJgE2KhUob24+n9jYepfvbIJrVIygPsRBQsezawSrV3rkSneBiM2EjjTA3eINKLF4tOPT4KtrK9sgxS3',
  'RLlhxZujUzBRMB0GA1UdDgQWBBS4iziVWKMfuxbeML0/CSXv8OMkOTAfBgNVHSMEGDAWgBS4iziVWKMfuxbeML0/CSXv8OMkOTAP',
  'BgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQCN5aQHIv4BA0+teheqBEVALildtmpEq8DlSz4R/PFX0wIgJECBTRj4',
  'nsFEz/qu8jqiPaX0hOKfIFiv36c+M53LNIA=',
]);

/** Its key, which is nobody’s secret. */
export const privateKey = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUxsyoYZ7x5dolTH9OFV9KnfwX+uDyzDCOFS8U5Mv0x6hRANCAASY',
  'BNioVKG9uPp/Y2HqX72yCa1SMoD7EQULHs2sEq1d65Ep3gYjNhI40wN3iDSixeLTj0+CrayvbIMUt0S5YcWb',
]);

/** A key that belongs to no certificate here. */
export const otherKey = pem('PRIVATE KEY', [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg09A9Q7LC9Gev2W71wlK4jTblS8dWxtAkq5i1GtlPTLShRANCAAQd',
  'j2HLKZ5Ssydv0JG01EIF+60of7l5qflhXduoXzDaFt+JCngieL9XkD6zdcoZU+LJDnaJdyDd/mkND7ViBAr2',
]);

/** Certificate and key as PKCS12 without a pass phrase, in base64. */
export const bundle = [
  'MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB',
  'MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiiJYoV8pQJXwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEKIk',
  'uVaFIHWqv6snoiXV7QaAggHwa3YHLLSHgjkYeAtpJm8Q409GzZD4q+6YpKpyzqG8SwIsQ0G6njFQac9BkQxBmLHH+/6VYpPFkvtj',
  '6ZIyvQ/89QLv1laELgJlzhrKiz2Q//VZ8J00QDuLquITUD5XdqWGCZ71YTGvPV5qHjyk7+0tAiwVKzZXeW9ja6SNfk6+7qcLrRBS',
  'mcfP4yh5XLOKOT2V62waXvu0+ZpecTnVGFfilYUOCrRaSSfVTH+5eysBgS+nTOMThtYmszx4HbUxLUeA9TPDgx2PXT5IzO1KwRdZ',
  'anZGPFMgRxe/AG2D4MxfJr7XsVs/5/pKxftXHGW38rfXPI3tn6kAnugi8JfybBfA9MG+pWsRX2+h/Q6WUBG5fKci91DoqLR48CQM',
  '+b2bjKJ8VPhR7+A4wN6TuF2fPSvKDNZbatEprrFxBRfFy4On5kdPFDJ1dBBnSFxiMUBe7tkM/S31KE2vheXcP+9T9UburMJqWchJ',
  'aHraa2T6qh7FNPscod4iHvinKF6TdoyufG22kz0uURid2rSPUd0PQiIcInLBCIQT1fKywysc8dVXnj0S2fS7slsDBwINzGzhwsc+',
  '8R9+kD2s9J1MjTjVhgBSq50SfREkUSwRs94WaBe6+EnS/4MgccG0l8HylquPCzPFU2oz3u0AZ06PQaaWIN8KLTCCAUEGCSqGSIb3',
  'DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgAN6ax',
  'axvTNwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEOEGye4ih8eEWOSmdIsXvQIEgZAOoPRzMdrjCGqDvhzkdtRgRP4o',
  'y/lPV+5E9AKqi9mHVfj9mhL/Zpkos2D2LYqfTbXJd6pVQZ2SndPdQA9jVocswEz6NLvqrim6lDGeI0+Kt1fO+wFxabJU1ak96JmE',
  'E2wtvoEo0S5bFdsnpuhJFUDMAszyY6qufZRXDlOTljKl7Z+khE0/zC9dfXPQxiol0xMxJTAjBgkqhkiG9w0BCRUxFgQUU3aiSWtN',
  'LMbAw5va9n51IIn2hVIwQTAxMA0GCWCGSAFlAwQCAQUABCBNQws705ySdu1JyMFOhu2SM8IaEBYgU35tDZU2YPPYowQIN9l6RQkm',
  'M+ECAggA',
].join('');

/** The same with the pass phrase `x`. */
export const lockedBundle = [
  'MIIEHAIBAzCCA9IGCSqGSIb3DQEHAaCCA8MEggO/MIIDuzCCAnIGCSqGSIb3DQEHBqCCAmMwggJfAgEAMIICWAYJKoZIhvcNAQcB',
  'MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgZUCligiLJJgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEP30',
  '/WiGtbATRppcVF5WUrCAggHwb+pthbN1BeQNvVo1/InXgTutkIk2+1usLNmFBBc077X5MgyiBjbqw+1I7W9/fnf9nJyXcu7Q7iWu',
  'SGoOoA1tNISzMxEsHClACP51LcR363CV605uo785EKapTtx2W2CBoyzmjAdncpJ4PDhZmiRIVS69tOwELxUAxyIxyWMdV83D91iZ',
  'GIILmwe0ItEvnE6G5FdoyNcb8kqiS78AEttSdhjKiSBM0vNPSSetWuc5TcEMSREUHGm8TU8+yStredVOXNSkiWm3jOhoKMvldpix',
  'YPMTZW6qr18/LufmCxd/G7YFK8KbI2kfd+MQHCo2drBVM9xdvO6APgdPuIExLdDmgE5nLJeDyot2oGUz9NSk9FFQvw/TmDM6sUln',
  '00UFXes1N7o54zwAP1qdG+QVopRs546UQZM/FlljNAZ5thBSLf3VY79Lor7psSTeOiYXeVO/S+wH/JtNNgB2E0JJim99spR2cWb+',
  'hm4uzyG5O2JLWuEKwUYDA/CcRxTInVcBRVi/AbZcdwYHjNNFMlQ6HbYEC1xbc2tICzKFeYwm3NpFqdyw7E/mvC3H+4/fzvMUC03u',
  'Ywfq+WivUQcUgkBAsU41vVZtxoaYQFK+gFrUyueiYD5jDCalLfNR0o9cAllM/wZnH8bUPZWv0QKuVAknuJbSBTCCAUEGCSqGSIb3',
  'DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhDLU2/',
  '1v4d0gICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENtS6+H8lq5Q2lEsbtGD10gEgZBduz4/9YCaJwPosllb1q8Qr8OB',
  'DRtz2zcJcROTCsdLdFTh7QULsazVfn/2HwDSZVH7CyvKPy3gB6KEnsTypdvWyn/ApEnUsw2l0AM//FbOyFAsXtmzRF89s7uZCzOG',
  'S7bJMWfT2p4/a+TkujkLSpK3fsLQg350vt5pjRUo8WkTfoXKU3QItKa4DdNfPy2YDIExJTAjBgkqhkiG9w0BCRUxFgQUU3aiSWtN',
  'LMbAw5va9n51IIn2hVIwQTAxMA0GCWCGSAFlAwQCAQUABCBCFNnuahEjk/Kr5BtJELml0H7Xn6J95b8dsoFepXNT5gQIAw7oq6/U',
  'lvYCAggA',
].join('');

/** Stores a secret or a container for the length of a case and gives its reference. */
async function stored(cloud: CloudSession, kind: 'secret' | 'container', body: object): Promise<string> {
  const reply = await cloud.barbican('POST', `${kind}s`, { name: 'conformance', ...body });
  const ref = textAt(reply.body, `${kind}_ref`);
  cloud.leave('key-manager', ref.slice(ref.indexOf('/v1/')));
  return ref;
}

const plain = (cloud: CloudSession, payload: string, secret_type: string): Promise<string> =>
  stored(cloud, 'secret', { secret_type, payload, payload_content_type: 'text/plain' });

function pkcs12(cloud: CloudSession, payload: string): Promise<string> {
  const type = { payload_content_type: 'application/octet-stream', payload_content_encoding: 'base64' };
  return stored(cloud, 'secret', { secret_type: 'opaque', payload, ...type });
}

export function container(cloud: CloudSession, refs: object, type = 'certificate'): Promise<string> {
  const parts = Object.entries(refs) as [string, unknown][];
  const secret_refs = parts.map(([name, secret_ref]) => ({ name, secret_ref }));
  return stored(cloud, 'container', { type, secret_refs });
}

export const certificateSecret = (cloud: CloudSession): Promise<string> =>
  plain(cloud, certificate, 'certificate');
export const keySecret = (cloud: CloudSession): Promise<string> => plain(cloud, privateKey, 'private');
export const otherKeySecret = (cloud: CloudSession): Promise<string> => plain(cloud, otherKey, 'private');
export const bundleSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud, bundle);
export const lockedSecret = (cloud: CloudSession): Promise<string> => pkcs12(cloud, lockedBundle);

/** The reference of a secret that is not there, at the same place. */
export const missing = (ref: string): string => ref.replace(/[^/]+$/, '00000000-0000-0000-0000-000000000001');
