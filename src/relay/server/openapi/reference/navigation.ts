import { type Html, html } from '../../html.ts'
import type { AsyncApiDoc, OpenApiDoc, OperationDoc } from './documents.ts'
import { verb } from './operation.ts'

export function navigationHtml(openapi: OpenApiDoc, { channels }: AsyncApiDoc): Html {
  return html`<nav aria-label="Contents"><details><summary>Contents</summary>
${group('Guide', [link('first-quote', 'Your first quote in five calls'), link('makers-must-know', 'What a maker must know'), link('credentials', 'Credentials')])}
${openapi.tags.map(({ name }) => group(name, operationsOf(name, openapi).map(operationLink)))}
${group(
  'Streams and socket',
  Object.entries(channels).map(([name, { title }]) => link(name, title)),
)}
${group('Tables', [link('codes', 'Codes'), link('schemas', 'Schemas')])}
</details></nav>`
}

export const operationsOf = (
  tag: string,
  { paths }: OpenApiDoc,
): { path: string; method: string; operation: OperationDoc }[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ path, method, operation })),
  )

const group = (title: string, links: readonly Html[]): Html =>
  html`<h2>${title}</h2><ul>${links.map((one) => html`<li>${one}</li>`)}</ul>`

const link = (id: string, text: string): Html => html`<a href="#${id}">${text}</a>`

const operationLink = ({ method, operation }: { method: string; operation: OperationDoc }): Html =>
  html`<a href="#${operation.operationId}">${verb('101' in operation.responses ? 'socket' : method)}${operation.summary}</a>`
