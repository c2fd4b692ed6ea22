/** What the real kube-apiserver says that levelset's ServiceAccount may do: what infra/kubernetes/rights.ts has, and no more. */
import { expect, it } from 'vitest';
import { CLUSTER_RIGHTS, type ClusterRight } from '../../../infra/kubernetes/rights.ts';
import { namesOf } from '../../rights/grants.ts';
import { kubeRequest } from '../lab/kubernetes.ts';
import { lab, NAMESPACE, needsControl } from '../lab/environment.ts';

interface RulesReview {
  readonly status: {
    readonly incomplete: boolean;
    readonly resourceRules: readonly {
      readonly verbs: readonly string[];
      readonly apiGroups?: readonly string[];
      readonly resources?: readonly string[];
      readonly resourceNames?: readonly string[];
    }[];
  };
}

/** What kustomization.yaml applies. */
const APPLIED = ['rbac', 'rbac-nodes', 'rbac-pods', 'rbac-watch'];
/** What everybody may who has logged in. */
const OF_EVERYBODY = /^create self\w+\.(authorization|authentication)\.k8s\.io$/;

const inWords = (verb: string, resource: string, name = ''): string => `${verb} ${resource} ${name}`.trim();

/** `VERB RESOURCE.GROUP NAME`, as often as a rule grants it. */
async function allowedIn(namespace: string): Promise<readonly string[]> {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
  const { status, body } = await kubeRequest(
    'POST',
    path,
    { spec: { namespace } },
    { token: lab().levelsetToken },
  );
  expect(status).toBe(201);
  const review = (body as RulesReview).status;
  expect(review.incomplete).toBe(false);
  return review.resourceRules
    .flatMap(({ verbs, apiGroups = [], resources = [], resourceNames = [undefined] }) =>
      verbs.flatMap((verb) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            resourceNames.map((name) =>
              inWords(verb, group === '' ? resource : `${resource}.${group}`, name),
            ),
          ),
        ),
      ),
    )
    .filter((words) => !OF_EVERYBODY.test(words));
}

const inTable = (isGranted: (right: ClusterRight) => boolean): readonly string[] =>
  CLUSTER_RIGHTS.filter((right) => APPLIED.includes(right.manifest) && isGranted(right)).flatMap(
    ({ verb, resource, name }) =>
      name === undefined
        ? [inWords(verb, resource)]
        : namesOf(name).map((one) => inWords(verb, resource, one)),
  );

it('each right is granted once, in its own namespace or everywhere, so that taking it away takes it away', async (context) => {
  needsControl(context);

  expect((await allowedIn(NAMESPACE)).toSorted()).toEqual(inTable(() => true).toSorted());
  expect((await allowedIn('default')).toSorted()).toEqual(
    inTable(({ namespace }) => namespace === undefined).toSorted(),
  );
});
