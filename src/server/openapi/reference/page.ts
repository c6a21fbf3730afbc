import { createHash } from 'node:crypto'
import { ERRORS, type ErrorCode, errorEntry } from '../../../domain/errors.ts'
import { STATUS } from '../../errors.ts'
import type { Json } from '../schemas.ts'
import type { AsyncApiDoc, MessageDoc, OpenApiDoc, SchemaDoc, SecuritySchemeDoc } from './documents.ts'
import { guideHtml } from './guide.ts'
import { type Html, html, json, sentence } from './html.ts'
import { fieldTable, operationHtml } from './operation.ts'

/** The whole style of the reference page; follows the reader's choice of light or dark. */
const STYLE = `
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

/** The reference page, and the policy under which it needs nothing but itself: no script, no other address. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Both documents, a maker's first steps and the table of codes as one page for people; `software` is the program's version. */
export function createReference(documents: { openapi: Json; asyncapi: Json; software: string }): string {
  const openapi = documents.openapi as unknown as OpenApiDoc
  const asyncapi = documents.asyncapi as unknown as AsyncApiDoc
  const { title, version, description } = openapi.info
  const schemas = { ...openapi.components.schemas, ...asyncapi.components.schemas }
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} ${documents.software}</title><style>${{ html: STYLE }}</style></head>
<body><header><h1>${title} ${documents.software} <small>API ${version}</small></h1><p>${sentence(description)}</p><p><a href="openapi.json">openapi.json</a> <a href="asyncapi.json">asyncapi.json</a></p></header>
<nav><a href="#first-quote">first quote</a> <a href="#credentials">credentials</a> ${openapi.tags.map(({ name }) => html`<a href="#tag-${name}">${name}</a> `)}<a href="#channels">streams and socket</a> <a href="#codes">codes</a> <a href="#schemas">schemas</a></nav>
<main>${guideHtml(openapi)}
<section id="credentials"><h2>Credentials</h2><dl>${Object.entries(openapi.components.securitySchemes).map(credentialHtml)}</dl></section>
${openapi.tags.map((tag) => tagHtml(tag, openapi))}
<section id="channels"><h2>Streams and socket</h2>${channelsHtml(asyncapi)}</section>
<section id="codes"><h2>Codes</h2>${codesHtml()}</section>
<section id="schemas"><h2>Schemas</h2>${Object.entries(schemas).map(schemaHtml)}</section>
</main></body></html>
`
  return page.html
}

const credentialHtml = ([name, { in: place, name: field, description }]: [string, SecuritySchemeDoc]): Html =>
  html`<dt id="credential-${name}"><code>${name}</code> <small>${place === undefined ? 'header Authorization: Bearer' : `${place} ${field}`}</small></dt><dd>${sentence(description)}</dd>`

function tagHtml({ name, description }: OpenApiDoc['tags'][number], { paths }: OpenApiDoc): Html {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(name))
      .map(([method, operation]) => operationHtml(path, method, operation)),
  )
  return html`<section id="tag-${name}"><h2>${name}</h2><p>${description}</p>${operations}</section>`
}

function channelsHtml({ channels, components }: AsyncApiDoc): Html[] {
  return Object.entries(channels).map(
    ([name, { address, title, summary, description = '', messages }]) => html`<article id="${name}">
<h3>${title} <code>${address}</code></h3><p>${summary} ${sentence(description)}</p>
${Object.keys(messages).map((key) => messageHtml(components.messages[key] as MessageDoc))}
</article>`,
  )
}

const messageHtml = ({ name, summary, payload, examples }: MessageDoc): Html =>
  html`<h4><code>${name}</code></h4><p>${summary}</p>${fieldTable(payload)}<details><summary>Example</summary>${examples.map(({ payload }) => json(payload))}</details>`

const schemaHtml = ([name, schema]: [string, SchemaDoc]): Html =>
  html`<article id="schema-${name}"><h3>${name}</h3>${fieldTable(schema)}</article>`

function codesHtml(): Html {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { message, hint = '', retryable } = errorEntry(code)
    return html`<tr id="code-${code}"><td><code>${code}</code></td><td>${STATUS[code]}</td><td>${message} ${hint}</td><td>${retryable ? 'yes' : ''}</td></tr>`
  })
  return html`<table><thead><tr><th>Code</th><th>Status</th><th>Says</th><th>Retry</th></tr></thead><tbody>${rows}</tbody></table>`
}
