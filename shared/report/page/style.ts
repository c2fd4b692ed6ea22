/** The only style of the pages. It stands in each page and is allowed there by its hash. */

export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --text: #1a1f27; --quiet: #5d6776; --line: #dde2e9; --code: #f0f2f5;
  --failed: #b3261e; --blocked: #8f4700; --progressing: #0b5cad; --unknown: #5d6776; --settled: #1b6e3c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f1216; --card: #171b21; --text: #e4e8ee; --quiet: #98a2b0; --line: #2a313b; --code: #0f1216;
    --failed: #ff8a80; --blocked: #ffb870; --progressing: #7fbcff; --unknown: #98a2b0; --settled: #7bd69b;
  }
}
* { box-sizing: border-box; }
html { overflow-anchor: none; }
body {
  margin: 0 auto; max-width: 84rem; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 16px/1.45 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
header { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .5rem 2rem; }
h1 { margin: 0; font-size: 1.4rem; }
.cluster { color: var(--quiet); font-weight: 400; }
.counts { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; margin: 0; padding: 0; list-style: none; }
.counts b { font-size: 1.25rem; }
.facts { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin: .6rem 0 1rem; }
.facts div { display: flex; gap: .5rem; }
dt, small, footer, .none { color: var(--quiet); }
dd { margin: 0; }
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
main:focus { outline: none; }
#stale { display: flex; gap: .8rem; position: sticky; top: 0; z-index: 1; margin: 0 0 1rem; padding: .6rem .9rem; border: 2px solid var(--failed); background: var(--card); }
#stale p { margin: 0; }
#stale-age { margin-left: auto; white-space: nowrap; font-weight: 600; }
body:not(.is-stale) #stale { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); }
.is-stale main { border-left: 4px solid var(--failed); padding-left: .6rem; }
.warning { margin: 0 0 1rem; padding: .6rem .9rem; border-left: 4px solid var(--blocked); background: var(--card); }
.outage { border: 2px solid var(--failed); color: var(--failed); font-weight: 600; }
.empty { padding: 3rem; text-align: center; color: var(--quiet); background: var(--card); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th { font-size: .8rem; font-weight: 600; color: var(--quiet); text-align: left; }
th, td { padding: .6rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tr > :first-child { border-left: 4px solid var(--line); }
thead tr > :first-child { border-left-color: transparent; }
.objects { table-layout: fixed; }
.objects thead th { width: 12%; }
.objects thead th:nth-child(1) { width: 20%; }
.objects thead th:nth-child(2) { width: 9%; }
.objects thead th:nth-child(4) { width: 14%; }
.objects thead th:nth-child(5) { width: 34%; }
.reason { overflow-wrap: anywhere; white-space: pre-line; }
.state.person, .group.person th, .counts .person, .health.down { color: var(--failed); }
.state.warned, .group.warned th, .counts .warned, .health.degraded { color: var(--blocked); }
.state.progressing, .group.progressing th, .counts .progressing { color: var(--progressing); }
.state.unknown, .group.unknown th, .counts .unknown, .health.none { color: var(--unknown); }
.state.settled, .group.settled th, .counts .settled, .health.serving { color: var(--settled); }
.person > :first-child { border-left-color: var(--failed); }
.warned > :first-child { border-left-color: var(--blocked); }
.progressing > :first-child { border-left-color: var(--progressing); }
.unknown > :first-child { border-left-color: var(--unknown); }
.settled > :first-child { border-left-color: var(--settled); }
.group th { padding-top: 1.1rem; font-size: .9rem; }
.state { font-weight: 600; }
.health { display: block; }
th.name { font-size: 1rem; font-weight: 600; color: var(--text); overflow-wrap: anywhere; }
code, .address, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9rem; }
.address { overflow-wrap: anywhere; }
code { font-size: inherit; }
small { display: block; font-size: .8rem; font-weight: 400; }
small b { font-weight: 600; }
details { margin-top: .3rem; }
summary { cursor: pointer; color: var(--progressing); }
details[data-past] summary::after { content: " (of an earlier run)"; color: var(--quiet); }
:focus-visible { outline: 2px solid var(--progressing); outline-offset: 2px; }
pre { margin: .4rem 0 0; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border-radius: .3rem; }
a { color: var(--progressing); }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: 0 0 1rem; }
.filters label { font-size: .8rem; color: var(--quiet); }
.filters input, .filters select { display: block; min-width: 9rem; padding: .3rem .4rem; font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--quiet); border-radius: .3rem; }
.filters button { padding: .3rem .8rem; font: inherit; }
.filters p { margin: 0; }
.pages { display: flex; gap: 1rem; margin-top: 1rem; }
h1 a { text-decoration: none; }
h2 { margin: 1.6rem 0 .5rem; font-size: 1.1rem; }
h3 { margin: 1rem 0 .4rem; font-size: 1rem; }
.answers { margin: 1rem 0; padding: .4rem .9rem; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--line); }
.answers.person { border-left-color: var(--failed); }
.answers.warned { border-left-color: var(--blocked); }
.answers.progressing { border-left-color: var(--progressing); }
.answers.settled { border-left-color: var(--settled); }
.answers div { display: flex; gap: 1rem; padding: .25rem 0; }
.answers dt { flex: 0 0 7rem; }
.answers dd { overflow-wrap: anywhere; white-space: pre-line; }
.answers .health { font-weight: 600; }
section > pre { background: var(--card); border: 1px solid var(--line); }
section th, section td { overflow-wrap: anywhere; }
.tree, .tree ul { margin: 0; padding-left: 1.1rem; list-style: none; border-left: 1px solid var(--line); }
.tree { padding-left: .9rem; background: var(--card); border: 1px solid var(--line); padding-block: .5rem; overflow-wrap: anywhere; }
.tree li { margin: .15rem 0; }
.tree .kind { color: var(--quiet); }
.tree .health { display: inline; font-weight: 600; }
section details { background: var(--card); border: 1px solid var(--line); padding: .35rem .7rem; }
section details table { margin-top: .4rem; }
summary small { display: inline; }
.compared.other, section tr.warned b { color: var(--blocked); font-weight: 600; }
.compared.same { color: var(--settled); }
footer { margin-top: 1rem; font-size: .85rem; }
@media (max-width: 45rem) {
  body { padding: .8rem; }
  table, tbody { display: block; }
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; border-bottom: 1px solid var(--line); }
  td, th, .reason, th.name { display: block; width: auto; min-width: 0; border: 0; padding: .2rem .8rem; }
  td::before { content: attr(data-label) ": "; font: 400 .8rem/1.4 system-ui, sans-serif; color: var(--quiet); }
  .health { display: inline; }
  .filters { display: grid; grid-template-columns: repeat(3, 1fr); gap: .4rem; }
  .filters label:first-child { grid-column: 1 / -1; }
  .filters label, .filters input, .filters select { width: 100%; min-width: 0; }
  .filters p { grid-column: 2 / -1; align-self: center; }
}
`;
