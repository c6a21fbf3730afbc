import { ERRORS, type ErrorCode, errorEntry } from '@rfqctl/protocol/domain/errors'
import { STATUS } from '../../errors.ts'
import { type Html, html, json, sentence } from '../../html.ts'
import { policyOf, styleSource } from '../../pages/policy.ts'
import type { Json } from '../schemas.ts'
import type { AsyncApiDoc, MessageDoc, OpenApiDoc, SchemaDoc, SecuritySchemeDoc } from './documents.ts'
import { guideHtml } from './guide.ts'
import { navigationHtml, operationsOf } from './navigation.ts'
import { fieldTable, operationHtml } from './operation.ts'
import { STYLE } from './style.ts'

/** Paths on the page's own origin; empty where the page only shows calls. */
export type ReferenceAssets = { scripts: readonly string[]; styles: readonly string[] }

/** The page loads nothing but itself; with assets, its scripts may run and call their own origin. */
export const referencePolicy = ({ scripts }: ReferenceAssets): string => (scripts.length === 0 ? ALONE : WITH_SCRIPTS)

const ALONE = policyOf(`style-src ${styleSource(STYLE)}`)
const WITH_SCRIPTS = policyOf(`style-src ${styleSource(STYLE)} 'self'`, "script-src 'self'", "connect-src 'self'")

/** Reads the same without a script. `software` is the program's version. */
export function createReference(documents: {
  openapi: Json
  asyncapi: Json
  software: string
  assets: ReferenceAssets
}): string {
  const openapi = documents.openapi as unknown as OpenApiDoc
  const asyncapi = documents.asyncapi as unknown as AsyncApiDoc
  const { title, version, description } = openapi.info
  const schemas = { ...openapi.components.schemas, ...asyncapi.components.schemas }
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} ${documents.software}</title><style>${{ html: STYLE }}</style>${assetTags(documents.assets)}</head>
<body><a class="skip" href="#main">Skip to the reference</a>
<header class="top"><h1>${title} ${documents.software} <small>API ${version}</small></h1><p><a href="openapi.json">openapi.json</a> <a href="asyncapi.json">asyncapi.json</a></p></header>
<div class="columns">${navigationHtml(openapi, asyncapi)}
<main id="main"><p>${sentence(description)}</p>${guideHtml(openapi)}
<section id="credentials"><h2>Credentials</h2><dl>${Object.entries(openapi.components.securitySchemes).map(credentialHtml)}</dl></section>
${openapi.tags.map((tag) => tagHtml(tag, openapi))}
<section id="channels"><h2>Streams and socket</h2>${channelsHtml(asyncapi)}</section>
<section id="codes"><h2>Codes</h2>${codesHtml()}</section>
<section id="schemas"><h2>Schemas</h2>${Object.entries(schemas).map(schemaHtml)}</section>
</main></div></body></html>
`
  return page.html
}

/** Not in a template: the bundler would find the end of a page there, and import a helper that is not installed. */
const SCRIPT_END: Html = { html: '</script>' }

const assetTags = ({ scripts, styles }: ReferenceAssets): Html =>
  html`${styles.map((href) => html`<link rel="stylesheet" href="${href}">`)}${scripts.map((src) => html`<script type="module" src="${src}">${SCRIPT_END}`)}`

const credentialHtml = ([name, { in: place, name: field, description }]: [string, SecuritySchemeDoc]): Html =>
  html`<dt id="credential-${name}"><code>${name}</code> <small>${place === undefined ? 'header Authorization: Bearer' : `${place} ${field}`}</small></dt><dd>${sentence(description)}</dd>`

function tagHtml({ name, description }: OpenApiDoc['tags'][number], openapi: OpenApiDoc): Html {
  const operations = operationsOf(name, openapi).map((operation) =>
    operationHtml(operation, openapi.components.securitySchemes),
  )
  return html`<section id="tag-${name}"><h2>${name}</h2><p>${description}</p>${operations}</section>`
}

function channelsHtml({ channels, components }: AsyncApiDoc): Html[] {
  return Object.entries(channels).map(
    ([name, { address, title, summary, description = '', messages }]) => html`<article id="${name}">
<h3><a href="#${name}">${title}</a></h3><p class="route"><code>${address}</code></p><p>${summary} ${sentence(description)}</p>
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
    return html`<tr id="code-${code}"><td><code>${code}</code></td><td>${STATUS[code]}</td><td>${message} ${hint}${retryable ? html` <small>Can be retried.</small>` : ''}</td></tr>`
  })
  return html`<table><thead><tr><th>Code</th><th>Status</th><th>Says</th></tr></thead><tbody>${rows}</tbody></table>`
}
