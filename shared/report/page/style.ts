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
#stale { position: sticky; top: 0; z-index: 1; margin: 0 0 1rem; padding: .6rem .9rem; border: 2px solid var(--failed); background: var(--card); }
#stale p { display: inline; margin: 0 .4rem 0 0; }
body:not(.is-stale) #stale { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); }
.is-stale main { border-left: 4px solid var(--failed); padding-left: .6rem; }
.warning { margin: 0 0 1rem; padding: .6rem .9rem; border-left: 4px solid var(--blocked); background: var(--card); }
.empty { padding: 3rem; text-align: center; color: var(--quiet); background: var(--card); border-radius: .5rem; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); }
th { font-size: .8rem; font-weight: 600; color: var(--quiet); text-align: left; }
th, td { padding: .6rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child { border-left: 4px solid transparent; }
td:first-child { border-left: 4px solid currentColor; }
.reason { width: 60%; overflow-wrap: anywhere; white-space: pre-line; }
.failed td:first-child, .counts .failed { color: var(--failed); }
.blocked td:first-child, .counts .blocked { color: var(--blocked); }
.progressing td:first-child, .counts .progressing { color: var(--progressing); }
.unknown td:first-child, .counts .unknown { color: var(--unknown); }
.settled td:first-child, .counts .settled { color: var(--settled); }
.state { font-weight: 600; white-space: nowrap; }
.name { min-width: 11rem; font-weight: 600; overflow-wrap: break-word; }
code, .address, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9rem; }
.address { min-width: 10rem; overflow-wrap: anywhere; }
.when, code { white-space: nowrap; }
code { font-size: inherit; }
small { display: block; font-size: .8rem; font-weight: 400; }
details { margin-top: .3rem; }
summary { cursor: pointer; color: var(--progressing); }
details[data-past] summary::after { content: " (of an earlier run)"; color: var(--quiet); }
pre { margin: .4rem 0 0; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border-radius: .3rem; }
a { color: var(--progressing); }
footer { margin-top: 1rem; font-size: .85rem; }
@media (max-width: 45rem) {
  body { padding: .8rem; }
  thead { display: none; }
  tr { display: block; border-bottom: 1px solid var(--line); }
  td, .reason { display: block; width: auto; border: 0; padding: .2rem .8rem; }
}
`;
