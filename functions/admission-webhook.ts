/** POST /admit/:cluster: what a kube-apiserver hears about a Service before it is stored. Asks neither OpenStack nor the apiserver. */
import { errorText } from '../shared/model/errors.ts';
import type { Service } from '../shared/model/kubernetes.ts';
import type { Verdict, Writing } from '../shared/service/report/judge-admission.ts';
import { readAdmission, type AdmissionRequest } from '../shared/trigger/read-admission.ts';
import { admit, requireMethod, requireToken } from './http/admit.ts';
import { jsonAnswer, type Endpoint, type HttpAnswer, type HttpRequest } from './http/exchange.ts';
import { answerError, HttpError } from './http/http-error.ts';
import { bodyReader } from './http/read-body.ts';
import { parseJson, requireMediaType } from './http/read-json.ts';
import { clusterOf, isCalledByCluster } from './http/receiver.ts';
import type { ServerOptions } from './http/server-options.ts';

/** Judges a write of a Service. */
export type Judge = (writing: Writing) => Promise<Verdict>;

export type AdmissionOptions = Pick<
  ServerOptions,
  'clusters' | 'auditTokens' | 'byCertificate' | 'judge' | 'self' | 'log'
> & {
  /** True: who calls shows a token or a certificate, as at /audit. Else nobody is asked, as kube-apiservers show none. */
  readonly identified?: boolean;
};

/** Two Services, the new and the old one, each of which etcd takes up to 1.5 MB. */
const LONGEST = 4 * 2 ** 20;

/** Without `judge` there is no such path. */
export function admissionWebhook(options: AdmissionOptions): Endpoint {
  const { auditTokens, clusters, identified, judge, log } = options;
  const form = [requireMethod('POST'), requireMediaType('application/json')];
  const readBody = bodyReader(LONGEST);
  const receive = async (request: HttpRequest, judge: Judge): Promise<HttpAnswer> => {
    if (identified && !isCalledByCluster(request, options)) await admit(request, [requireToken(auditTokens)]);
    const cluster = clusterOf(request);
    if (!clusters.includes(cluster)) throw new HttpError(404, `no such cluster: ${JSON.stringify(cluster)}`);
    await admit(request, form);
    const asked = await readBody(request, (body) => {
      const read = readAdmission(parseJson(body));
      if (typeof read === 'string') throw new HttpError(422, read);
      return read;
    });
    return answer(asked, await verdictOn(asked, judge, options));
  };
  return (request) =>
    judge && /^\/admit(\/|$)/.test(request.path)
      ? receive(request, judge).catch((error: unknown) => answerError(error, request, log))
      : undefined;
}

/** What cannot be read or judged is allowed, with a warning. */
async function verdictOn(
  { service, before, username, isStrange }: AdmissionRequest,
  judge: Judge,
  { self, log }: Pick<AdmissionOptions, 'self' | 'log'>,
): Promise<Verdict> {
  if (isStrange)
    return { warnings: ['levelset judges Services of v1 alone, and could not read this as one'] };
  if (!service || (username !== undefined && self.includes(username))) return { warnings: [] };
  const name = `${service.metadata.namespace}/${service.metadata.name}`;
  try {
    const writing = { service, ...(before && { before }) } as { service: unknown; before?: unknown };
    const verdict = await judge(writing as { service: Service; before?: Service });
    if (verdict.refusal !== undefined)
      log.info('refused a Service', { service: name, reason: verdict.refusal });
    return verdict;
  } catch (error) {
    log.error('a Service could not be judged', { service: name, error: errorText(error) });
    return { warnings: ['levelset could not judge this Service; its log has the reason'] };
  }
}

function answer({ uid }: AdmissionRequest, { refusal, warnings }: Verdict): HttpAnswer {
  return jsonAnswer(200, {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: refusal === undefined,
      ...(refusal !== undefined && { status: { code: 422, reason: 'Invalid', message: refusal } }),
      ...(warnings.length > 0 && { warnings }),
    },
  });
}
