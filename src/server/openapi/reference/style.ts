/** The whole style of the reference page; follows the reader's choice of light or dark. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --quiet: light-dark(#666, #999); --mark: light-dark(#0b5cad, #7ab8ff) }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 0 auto; padding: 1rem }
nav { position: sticky; top: 0; padding: .5rem 0; background: Canvas; border-bottom: 1px solid var(--line) }
nav a, header a { margin-right: 1rem }
a { color: var(--mark) }
h2 { margin-top: 3rem; text-transform: capitalize }
article { border-top: 1px solid var(--line); padding-top: .5rem; scroll-margin-top: 3rem }
h4 { margin: 1rem 0 .25rem }
code, pre { font: 14px/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
pre { overflow: auto; padding: .75rem; border: 1px solid var(--line) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line) }
th { width: 25% }
.parameters th:nth-child(2), .parameters th:nth-child(3) { width: 12% }
th:last-child { width: auto }
small { color: var(--quiet); font-weight: normal }
.method { color: var(--mark) }
.codes { list-style: none; padding: 0 }
`
