import { type Html, html, json, sentence } from '../../html.ts'
import { curlOf } from './curl.ts'
import type { OperationDoc, ParameterDoc, SchemaDoc, SecuritySchemeDoc } from './documents.ts'

export function operationHtml(
  { path, method, operation }: { path: string; method: string; operation: OperationDoc },
  schemes: Readonly<Record<string, SecuritySchemeDoc>>,
): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const answers = Object.entries(responses)
  const isSocket = '101' in responses
  return html`<article class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="route">${verb(isSocket ? 'socket' : method)} <code>${path}</code></p>
<div class="says"><p>${credentialsOf(security)} ${sentence(description ?? '')}</p>
${parameters.length === 0 ? html`` : html`<h4>Parameters</h4>${parameterTable(parameters)}`}
${requestBody === undefined ? html`` : html`<h4>Body</h4>${contentHtml(requestBody.content)}`}
${answers.filter(([status]) => status < '400').map(([status, { description, content }]) => html`<h4>Answer ${status}</h4>${content === undefined ? html`<p>${description}</p>` : contentHtml(content)}`)}
<h4>Refusals</h4><ul class="codes">${answers.filter(([status]) => status >= '400').map(([status, { content }]) => refusalsHtml(status, codesOf(content)))}</ul></div>
<div class="samples">${isSocket ? html`` : html`<h4>Call</h4><pre class="call">${curlOf({ path, method, operation }, schemes)}</pre>`}${answerExample(responses[200]?.content)}</div>
</article>`
}

/** People do not think of a WebSocket as a GET, so it has a badge of its own. */
export const verb = (method: string): Html => html`<span class="verb ${method}">${method.toUpperCase()}</span>`

function answerExample(content: Content | undefined): Html {
  const example = content?.['application/json']?.example
  return example === undefined ? html`` : html`<h4>Example of an answer</h4>${json(example)}`
}

function credentialsOf(security: readonly object[]): Html {
  const names = security.flatMap((scheme) => Object.keys(scheme))
  if (names.length === 0) return html`Open to all.`
  const isOptional = security.some((scheme) => Object.keys(scheme).length === 0)
  const links = names.map((name, index) => html`${index === 0 ? '' : ' or '}<a href="#credential-${name}">${name}</a>`)
  return html`${isOptional ? 'Takes' : 'Needs'} ${links}.`
}

const parameterTable = (parameters: readonly ParameterDoc[]): Html =>
  html`<table><thead><tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr><td><code>${name}</code>${optional(required)}</td><td>${place}</td><td>${typeOf(schema)}</td><td>${sentence(description)}</td></tr>`,
  )}</tbody></table>`

const optional = (isRequired: boolean): Html => (isRequired ? html`` : html`<small>optional</small>`)

type Content = NonNullable<OperationDoc['responses'][string]['content']>

const contentHtml = (content: Content): Html => ({
  html: Object.entries(content)
    .map(([media, { schema, example }]) =>
      example === undefined ? html`<p><code>${media}</code></p>`.html : fieldTable(schema).html,
    )
    .join(''),
})

const codesOf = (content: Content | undefined): string[] => Object.keys(content?.['application/json']?.examples ?? {})

const refusalsHtml = (status: string, codes: readonly string[]): Html =>
  html`<li><strong>${status}</strong> ${codes.map((code) => html`<a href="#code-${code}">${code}</a> `)}</li>`

type Row = { path: string; required: boolean; schema: SchemaDoc }

/** Nested fields are listed by their paths; empty for a schema without fields. */
export function fieldTable(schema: SchemaDoc): Html {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return html``
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.map(rowHtml)}</tbody></table>`
}

function typeOf(schema: SchemaDoc): Html {
  const { $ref, const: only, enum: values, anyOf, items, type } = schema
  if ($ref !== undefined) return refLink($ref)
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  if (values !== undefined) return html`<code>${values.map((value) => JSON.stringify(value)).join(' | ')}</code>`
  if (anyOf !== undefined) return { html: anyOf.map((option) => typeOf(option).html).join(' or ') }
  if (items !== undefined) return html`list of ${typeOf(items)}`
  return html`${type ?? 'anything'}${limitsOf(schema)}`
}

const refLink = ($ref: string): Html => {
  const name = $ref.split('/').at(-1) as string
  return html`<a href="#schema-${name}">${name}</a>`
}

function limitsOf({ format, pattern, minimum, exclusiveMinimum, maximum }: SchemaDoc): Html {
  const limits = [
    format,
    pattern,
    minimum === undefined ? undefined : `≥ ${minimum}`,
    exclusiveMinimum === undefined ? undefined : `> ${exclusiveMinimum}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : `≤ ${maximum}`,
  ].filter((limit) => limit !== undefined)
  return limits.length === 0 ? html`` : html` <small>${limits.join(', ')}</small>`
}

function rowsOf(schema: SchemaDoc, prefix: string): Row[] {
  const { properties = {}, required = [] } = objectIn(schema) ?? {}
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const isList = field.items !== undefined
    return [
      { path, required: required.includes(name), schema: field },
      ...rowsOf(field, `${path}${isList ? '[]' : ''}.`),
    ]
  })
}

/** Looks inside a list, and beside null. */
const objectIn = ({ anyOf, items, ...schema }: SchemaDoc): SchemaDoc | undefined =>
  schema.properties === undefined ? (items ?? anyOf?.find(({ properties }) => properties !== undefined)) : schema

const rowHtml = ({ path, required, schema }: Row): Html =>
  html`<tr><td><code>${path}</code>${optional(required)}</td><td>${typeOf(schema)}</td><td>${sentence(schema.description ?? '')}</td></tr>`
