import type { OperationDoc, ParameterDoc } from './documents.ts'
import { fieldTable, typeOf } from './fields.ts'
import { type Html, html, json, sentence } from './html.ts'

/** One route with a method: what it takes, what it answers and how it refuses. */
export function operationHtml(path: string, method: string, operation: OperationDoc): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation
  const answers = Object.entries(responses)
  return html`<article id="${operationId}">
<h3><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p>${summary}. ${credentialsOf(security)} ${sentence(description ?? '')}</p>
${parameters.length === 0 ? html`` : parameterTable(parameters)}
${requestBody === undefined ? html`` : html`<h4>Body</h4>${contentHtml(requestBody.content)}`}
${answers.filter(([status]) => status < '400').map(([status, { description, content }]) => html`<h4>${status}</h4>${content === undefined ? html`<p>${description}</p>` : contentHtml(content)}`)}
<h4>Refusals</h4><ul class="codes">${answers.filter(([status]) => status >= '400').map(([status, { content }]) => refusalsHtml(status, codesOf(content)))}</ul>
</article>`
}

function credentialsOf(security: readonly object[]): Html {
  const names = security.flatMap((scheme) => Object.keys(scheme))
  if (names.length === 0) return html`Open to all.`
  const isOptional = security.some((scheme) => Object.keys(scheme).length === 0)
  const links = names.map((name, index) => html`${index === 0 ? '' : ' or '}<a href="#credential-${name}">${name}</a>`)
  return html`${isOptional ? 'Takes' : 'Needs'} ${links}.`
}

const parameterTable = (parameters: readonly ParameterDoc[]): Html =>
  html`<table class="parameters"><thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr><td><code>${name}</code>${required ? '' : html` <small>optional</small>`}</td><td>${place}</td><td>${typeOf(schema)}</td><td>${sentence(description)}</td></tr>`,
  )}</tbody></table>`

type Content = NonNullable<OperationDoc['responses'][string]['content']>

const contentHtml = (content: Content): Html => ({
  html: Object.entries(content)
    .map(([media, { schema, example }]) =>
      example === undefined
        ? html`<p><code>${media}</code></p>`.html
        : html`${fieldTable(schema)}<details><summary>Example</summary>${json(example)}</details>`.html,
    )
    .join(''),
})

const codesOf = (content: Content | undefined): string[] => Object.keys(content?.['application/json']?.examples ?? {})

const refusalsHtml = (status: string, codes: readonly string[]): Html =>
  html`<li>${status}: ${codes.map((code) => html`<a href="#code-${code}">${code}</a> `)}</li>`
