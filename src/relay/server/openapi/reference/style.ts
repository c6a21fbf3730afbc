/**
 * Follows the reader's choice of light or dark. Repeats the colours of the web desk (src/web/parts/theme.css), which a
 * relay without pages does not have.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f6f7f9, #0c0e13); --surface: light-dark(#ffffff, #13161d); --sunken: light-dark(#f1f2f5, #0f1218);
  --hover: light-dark(#eceef3, #1d222c); --line: light-dark(#e2e5ea, #262b36); --control: light-dark(#858c9b, #6b7386);
  --text: light-dark(#14161c, #eceef3); --muted: light-dark(#525966, #a6aebd);
  --accent: light-dark(#4640d8, #5f59ea); --accent-hover: light-dark(#3731ba, #5550dc); --on-accent: light-dark(#ffffff, #ffffff);
  --accent-text: light-dark(#443ed0, #aaa8ff); --accent-soft: light-dark(#eeeefd, #1e1f3d);
  --gain: light-dark(#0a7442, #52cf90); --gain-soft: light-dark(#e6f5ed, #10281d);
  --loss: light-dark(#bd2232, #ff808b); --loss-soft: light-dark(#fdecee, #31171c);
  --warning: light-dark(#855000, #e9b650); --warning-soft: light-dark(#fdf2de, #2c230f);
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace
}
*, ::before, ::after { box-sizing: border-box }
html { scroll-padding-top: 4.5rem; background: var(--canvas); color: var(--text) }
@media (min-width: 2000px) { html { font-size: 118.75% } }
body {
  margin: 0; min-width: 20rem; font-size: .9375rem; line-height: 1.6; font-variant-numeric: tabular-nums;
  font-family: "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif
}
a { color: var(--accent-text); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px }
h1, h2, h3, h4 { margin: 0; line-height: 1.3; letter-spacing: -.011em }
h1 { font-size: 1.0625rem } h2 { font-size: 1.5rem } h3 { font-size: 1.0625rem; font-weight: 600 }
h4 { margin: 1.5rem 0 .5rem; font-size: .8125rem; color: var(--muted) }
p { margin: .5rem 0; max-width: 46rem }
code, pre { font: .8125rem/1.6 var(--mono); overflow-wrap: anywhere }
pre {
  margin: .5rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--sunken); white-space: pre-wrap
}
small { color: var(--muted); font-weight: normal; font-size: .8125rem }
.skip { position: absolute; z-index: 9; top: .5rem; left: .5rem; padding: .5rem 1rem; border-radius: .375rem; background: var(--accent); color: var(--on-accent); transform: translateY(-200%) }
.skip:focus { transform: none }
.top {
  position: sticky; z-index: 2; top: 0; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem; min-height: 3.5rem;
  padding: .5rem 1.5rem; border-bottom: 1px solid var(--line); background: var(--surface)
}
.top p { display: flex; gap: 1rem; margin: 0 0 0 auto; font-size: .8125rem }
.columns { max-width: 112rem; margin: 0 auto }
nav { padding: 1rem 1.5rem; font-size: .8125rem }
nav summary { padding: .5rem 0; font-weight: 600; cursor: pointer }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .75rem; color: var(--muted); text-transform: capitalize }
nav ul { margin: 0; padding: 0; list-style: none } nav li { padding: 0 }
nav a { display: flex; gap: .5rem; align-items: baseline; padding: .25rem .5rem; border-radius: .375rem; color: var(--text); text-decoration: none }
nav a:hover { background: var(--hover) }
main { min-width: 0; padding: 0 1.5rem 6rem }
main > section { padding-top: 2.5rem }
main > section > h2::first-letter { text-transform: uppercase }
article { margin-top: 1.5rem; padding: 1.25rem 1.5rem 1.5rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--surface) }
article:target { border-color: var(--accent-text) }
article > h3 { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline }
article > h3 a { color: inherit; text-decoration: none }
article > h3 a:hover { text-decoration: underline }
.route { margin: .5rem 0; color: var(--muted) }
.samples { min-width: 0 }
.verb { display: inline-block; min-width: 3.75rem; padding: 0 .375rem; border-radius: .25rem; font: 600 .6875rem/1.7 var(--mono); text-align: center }
.get { background: var(--accent-soft); color: var(--accent-text) }
.post { background: var(--gain-soft); color: var(--gain) }
.put { background: var(--warning-soft); color: var(--warning) }
.delete { background: var(--loss-soft); color: var(--loss) }
.socket { background: var(--hover); color: var(--muted) }
nav .verb { flex: none; min-width: 3.25rem; font-size: .625rem }
table { border-collapse: collapse; width: 100%; font-size: .875rem }
th { padding: .375rem 1rem .375rem 0; border-bottom: 1px solid var(--control); color: var(--muted); font-size: .75rem; font-weight: 600; text-align: left }
td { padding: .5rem 1rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere }
td:last-child { width: 45% }
tr:last-child td { border-bottom: 0 }
tr:target { background: var(--accent-soft) }
td small { display: block; overflow-wrap: anywhere }
td code { font-size: .8125rem }
details > summary { cursor: pointer; color: var(--accent-text); font-size: .8125rem }
.codes { margin: 0; padding: 0; list-style: none; font-size: .8125rem }
.codes li { padding: .125rem 0 }
.codes a { margin-right: .75rem; white-space: nowrap }
dt { margin-top: 1rem } dd { margin: .25rem 0 0; max-width: 46rem }
ol, ul { padding-left: 1.25rem } li { padding: .25rem 0; max-width: 50rem }
[hidden] { display: none !important }
@media (min-width: 64rem) {
  .columns { display: grid; grid-template-columns: 18rem minmax(0, 1fr) }
  nav { position: sticky; top: 3.5rem; align-self: start; height: calc(100vh - 3.5rem); overflow-y: auto; border-right: 1px solid var(--line) }
  nav summary { display: none }
  nav details::details-content { content-visibility: visible; display: block }
  main { padding: 0 2.5rem 6rem }
}
@media (min-width: 90rem) {
  .operation { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 0 2.5rem; align-items: start }
  .operation > h3, .operation > .route { grid-column: 1 / -1 }
}
@media (max-width: 40rem) {
  main, nav, .top { padding-left: 1rem; padding-right: 1rem }
  article { padding: 1rem }
  thead { display: none }
  tr, td { display: block; padding: 0; border: 0 }
  td:last-child { width: auto }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
}
`
