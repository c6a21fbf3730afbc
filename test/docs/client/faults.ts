import { type Docblock, tagsOf } from './docblock.ts'
import type { Call, Export, Property, Shape } from './extract.ts'

/** Types whose members are what is called: each shows how. */
const CALLED = /(?:Client|Actions)$|^Keeper$/

/** Names that TypeScript or viem explain. */
const FOREIGN = [
  ...['AbortSignal', 'AsyncGenerator', 'Error', 'Omit', 'Partial', 'Pick', 'Promise', 'Readonly', 'Record', 'Required'],
  ...['Account', 'EIP1193Provider', 'TransactionReceipt', 'Transport', 'WalletClient'],
]

/** Only marks units, and is nothing to hold. */
const MARKS = ['Unit']

/** What a stranger is not told of an export, as sentences. */
export function docFaults(entry: Export, isErrorCode: (code: string) => boolean): string[] {
  const { name, kind, doc, call, shapes } = entry
  const isAlone = shapes.length === 1
  return [
    ...(doc.text === '' ? [`${name} has no docblock`] : []),
    ...(call === null ? [] : callFaults(name, call, doc, kind === 'function')),
    ...shapes.flatMap((shape) =>
      shape.properties.flatMap((property) => propertyFaults(entry, shape, property, isAlone)),
    ),
    ...codesIn(entry)
      .filter((code) => !isErrorCode(code))
      .map((code) => `${name} throws ${code}, which docs/reference/errors.md does not have`),
  ]
}

/** The types in an export that a stranger can neither import nor look up. */
export const unknownTypes = (entry: Export, exported: ReadonlySet<string>): string[] =>
  entry.references
    .filter((type) => !exported.has(type) && !FOREIGN.includes(type) && !MARKS.includes(type))
    .map((type) => `${entry.name} shows ${type}, which is not exported`)

/** A number has a unit and null a meaning, which no name says; other properties may say all by name and type. */
const needsText = ({ type }: Property): boolean => /\b(?:number|bigint|null)\b/.test(type)

function propertyFaults(entry: Export, shape: Shape, property: Property, isAlone: boolean): string[] {
  const path = `${entry.name}.${property.name}`
  const isTag = !isAlone && /^'[a-z_]+'$/.test(property.type)
  const isNamed = !isAlone && names(`${shape.doc.text} ${entry.doc.text}`, property.name)
  const inner = property.call === null ? property.inner.flatMap(({ properties }) => properties) : []
  return [
    ...(property.doc.text === '' && !isTag && !isNamed && needsText(property) ? [`${path} has no docblock`] : []),
    ...(property.call === null ? [] : callFaults(path, property.call, property.doc, CALLED.test(entry.name))),
    ...inner
      .filter(
        (each) =>
          each.doc.text === '' && needsText(each) && !names(`${property.doc.text} ${shape.doc.text}`, each.name),
      )
      .map(({ name }) => `${path}.${name} is not told of`),
  ]
}

/** Callbacks, whose docblock is that of the property, return nothing to tell of and show no example. */
function callFaults(path: string, call: Call, doc: Docblock, needsExample: boolean): string[] {
  const isCallback = /^on[A-Z]/.test(path.split('.')[1] ?? '')
  const expected = isCallback
    ? []
    : call.parameters.flatMap(({ name, members }) =>
        members.length === 0 ? [name ?? 'options'] : members.map((member) => `${name ?? 'input'}.${member}`),
      )
  const told = tagsOf(doc, 'param').map(({ name }) => name)
  return [
    ...expected.filter((name) => !told.includes(name)).map((name) => `${path} has no @param ${name}`),
    ...told
      .filter((name) => name === null || !expected.includes(name))
      .map((name) => `${path} has no parameter ${name}`),
    ...(tagsOf(doc, 'returns').length === 0 && call.returns !== 'void' ? [`${path} has no @returns`] : []),
    ...(tagsOf(doc, 'throws').length === 0 && call.canThrow ? [`${path} has no @throws`] : []),
    ...(tagsOf(doc, 'example').length === 0 && needsExample ? [`${path} has no @example`] : []),
    ...doc.tags.filter(({ text }) => text === '').map(({ kind }) => `${path} has an empty @${kind}`),
  ]
}

/** The codes of errors in what an export, or a member of it, throws. */
function codesIn({ doc, shapes }: Export): string[] {
  const docs = [doc, ...shapes.flatMap(({ properties }) => properties.map((property) => property.doc))]
  const texts = docs.flatMap((each) => tagsOf(each, 'throws').map(({ text }) => text))
  return texts.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
}

const names = (text: string, name: string): boolean => text.includes(`\`${name}\``)
