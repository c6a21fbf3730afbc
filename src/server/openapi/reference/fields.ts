import type { SchemaDoc } from './documents.ts'
import { type Html, html, sentence } from './html.ts'

type Row = { path: string; required: boolean; schema: SchemaDoc }

/** The fields of a schema as a table, those of nested objects by their paths; nothing for one without fields. */
export function fieldTable(schema: SchemaDoc): Html {
  const rows = rowsOf(schema, '')
  if (rows.length === 0) return html``
  return html`<table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.map(rowHtml)}</tbody></table>`
}

/** What values a schema takes, in a few words; a shared one is linked to. */
export function typeOf(schema: SchemaDoc): Html {
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

/** The object that a schema describes, also within a list or beside null. */
const objectIn = ({ anyOf, items, ...schema }: SchemaDoc): SchemaDoc | undefined =>
  schema.properties === undefined ? (items ?? anyOf?.find(({ properties }) => properties !== undefined)) : schema

const rowHtml = ({ path, required, schema }: Row): Html =>
  html`<tr><td><code>${path}</code>${required ? html`` : html` <small>optional</small>`}</td><td>${typeOf(schema)}</td><td>${sentence(schema.description ?? '')}</td></tr>`
