/** dashboard.json for Grafana 9 and newer, made of the table of panels. */
import { PANELS, type Panel } from './panels.ts';

const COLUMNS = 24;
const HEIGHT = { stat: 4, timeseries: 8, table: 8 } as const;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The text of the file. */
export function dashboardFile(): string {
  const dashboard = {
    uid: 'levelset',
    title: 'levelset',
    tags: ['kubernetes', 'openstack'],
    schemaVersion: 38,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: VARIABLES },
    panels: placed(),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const VARIABLES = [
  { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' },
  {
    name: 'cluster',
    type: 'query',
    label: 'cluster',
    datasource: DATASOURCE,
    query: { query: 'label_values(levelset_unsettled_objects, cluster)', refId: 'cluster' },
    includeAll: true,
    allValue: '.*', // without --clusters no metric has the label
    current: { text: 'All', value: '$__all' },
    refresh: 2,
  },
];

/** Rows one below the other, panels from left to right. */
function placed(): readonly object[] {
  const all: object[] = [];
  let y = 0;
  for (const [title, panels] of Map.groupBy(PANELS, ({ row }) => row)) {
    all.push({
      id: all.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    let x = 0;
    let lowest = y;
    for (const panel of panels) {
      const h = HEIGHT[panel.kind];
      if (x + panel.width > COLUMNS) [x, y] = [0, lowest];
      all.push(panelAt(panel, all.length + 1, { x, y, w: panel.width, h }));
      x += panel.width;
      lowest = Math.max(lowest, y + h);
    }
    y = lowest;
  }
  return all;
}

function panelAt(
  { kind, title, description, unit, limits, queries }: Panel,
  id: number,
  gridPos: Place,
): object {
  const steps = [
    { color: 'green', value: null },
    ...(limits
      ? [
          { color: 'orange', value: limits[0] },
          { color: 'red', value: limits[1] },
        ]
      : []),
  ];
  return {
    ...{ id, type: kind, title, description, gridPos, datasource: DATASOURCE },
    fieldConfig: { defaults: { unit, min: 0, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      datasource: DATASOURCE,
      expr,
      legendFormat: legend,
      ...(kind === 'timeseries' ? { range: true } : { instant: true }),
      ...(kind === 'table' && { format: 'table' }),
    })),
  };
}
