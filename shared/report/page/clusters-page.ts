import { inNumbers, WORST_FIRST, type RowState, type StatusView } from '../page.ts';
import { since, type Group } from './cells.ts';
import { markup, type Html } from './markup.ts';
import { BARE, DRY_RUN, renderDocument, warning, type Frame } from './layout.ts';

export interface ClusterRow {
  readonly cluster: string;
  readonly isServed: boolean;
  /** What is wrong with its entry, or why it is not served. */
  readonly problems: readonly string[];
  readonly states: Readonly<Partial<Record<RowState, number>>>;
  /** The changes that a person may approve. */
  readonly awaitingApproval: number;
  readonly lastSweep?: StatusView['lastSweep'];
}

export interface ClustersView {
  readonly generatedAt: string;
  readonly clusters: readonly ClusterRow[];
  readonly dryRun?: true;
  /** Why the registry cannot be read. The clusters are those that were read last. */
  readonly trouble?: string;
}

/** The page of a deployment with several clusters: a row for each, with a link to its own page. */
export function renderClustersPage(view: ClustersView, frame: Frame = BARE): string {
  const now = Date.parse(view.generatedAt);
  return renderDocument(
    {
      title: `levelset: ${view.clusters.length} clusters`,
      generatedAt: view.generatedAt,
      header: markup`<h1>levelset <span class="cluster">${view.clusters.length} clusters</span></h1>`,
      main: markup`${view.dryRun && warning(DRY_RUN)}
        ${view.trouble === undefined ? undefined : warning(`the registry cannot be read: ${view.trouble}`)}
        <table>
          <thead><tr><th scope="col">Cluster</th><th scope="col">State</th><th scope="col">Objects</th><th scope="col">Problems</th><th scope="col">Last sweep</th></tr></thead>
          <tbody>${view.clusters.toSorted(worstFirst).map((row) => line(row, now))}</tbody>
        </table>`,
    },
    frame,
  );
}

const GROUP_OF: Readonly<Record<RowState, Group>> = {
  ...{ failed: 'person', blocked: 'person', progressing: 'progressing' },
  ...{ unknown: 'unknown', settled: 'settled' },
};

function line(row: ClusterRow, now: number): Html {
  const { cluster, isServed, problems, lastSweep } = row;
  const state = stateOf(row);
  const warnings = [
    ...problems.map((problem) => withoutName(problem, cluster)),
    ...(lastSweep?.warnings ?? []),
  ];
  const swept = lastSweep && markup`${since(lastSweep.at, now)}: ${inNumbers(lastSweep)}`;
  return markup`<tr class="${GROUP_OF[state]}" id="row:${cluster}">
      <th class="name" scope="row"><a href="/clusters/${cluster}">${cluster}</a></th>
      <td class="state ${GROUP_OF[state]}" data-label="State">${isServed ? state : 'not served'}</td>
      <td data-label="Objects">${objectsIn(row)}</td>
      <td class="reason" data-label="Problems">${warnings.map((warning) => markup`<p>${warning}</p>`)}</td>
      <td class="when" data-label="Last sweep">${swept ?? 'never'}</td>
    </tr>`;
}

function worstFirst(a: ClusterRow, b: ClusterRow): number {
  const [one, other] = [WORST_FIRST.indexOf(stateOf(a)), WORST_FIRST.indexOf(stateOf(b))];
  return one - other || b.awaitingApproval - a.awaitingApproval || a.cluster.localeCompare(b.cluster);
}

function withoutName(problem: string, cluster: string): string {
  return problem.startsWith(`${cluster}: `)
    ? withoutName(problem.slice(cluster.length + 2), cluster)
    : problem;
}

function stateOf({ isServed, problems, states, lastSweep }: ClusterRow): RowState {
  if (!isServed || problems.length > 0) return 'failed';
  if (!lastSweep) return 'unknown';
  return WORST_FIRST.find((state) => (states[state] ?? 0) > 0) ?? 'settled';
}

function objectsIn({ states, awaitingApproval }: ClusterRow): string {
  const counted = WORST_FIRST.filter((state) => (states[state] ?? 0) > 0);
  const waiting = awaitingApproval > 0 ? [`${awaitingApproval} waiting for approval`] : [];
  return [...counted.map((state) => `${states[state] ?? 0} ${state}`), ...waiting].join(', ') || 'none yet';
}
