import { readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'
import { sourceOf } from '../../support/loaded-by.ts'
import { type Docblock, NO_DOC, parseDocblock } from './docblock.ts'

const CLIENT = fileURLToPath(new URL('../../../src/client/index.ts', import.meta.url))

/** A member of an object type: its docblock, and its type as it is written. */
export type Property = {
  name: string
  isOptional: boolean
  type: string
  doc: Docblock
  /** Its parameters and what it returns, where it is a function. */
  call: Call | null
  /** The members of its type, where that is written in place. */
  inner: readonly Shape[]
}

export type Call = { parameters: readonly Parameter[]; returns: string; canThrow: boolean }

/** A parameter; the names of its members where its type is written in place. */
export type Parameter = { name: string | null; members: readonly string[] }

/** A part of an object type: one of a union, or all of it. */
export type Shape = { doc: Docblock; properties: readonly Property[]; includes: readonly string[]; source: string }

export type Export = {
  name: string
  kind: 'function' | 'type' | 'class' | 'const'
  doc: Docblock
  /** The declaration without its body. */
  source: string
  call: Call | null
  shapes: readonly Shape[]
  /** The names of all types in it. */
  references: readonly string[]
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Source = { file: string; text: string; body: readonly Node[]; comments: readonly { start: number; end: number }[] }

const sources = new Map<string, Source>()

/** Everything that `src/client/index.ts` exports, in its order. */
export function clientExports(): Export[] {
  return load(CLIENT).body.flatMap((node) => {
    if (node.type !== 'ExportNamedDeclaration') return []
    const file = fileOf((node.source as { value: string }).value, CLIENT)
    return (node.specifiers as Node[]).map((specifier) => {
      const { local, exported } = specifier as unknown as Record<'local' | 'exported', { name: string }>
      const found = declarationOf(file, local.name)
      return { ...found, name: exported.name, source: found.source.replace(local.name, exported.name) }
    })
  })
}

/** The file that a name in another one leads to. */
function fileOf(name: string, from: string): string {
  const url = sourceOf(name, pathToFileURL(from))
  if (url === null) throw new Error(`${from} passes on ${name}, which is no file of ours`)
  return fileURLToPath(url)
}

function load(file: string): Source {
  const known = sources.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const source = { file, text, body: program.body as unknown as Node[], comments }
  sources.set(file, source)
  return source
}

/** The declaration of a name in a file, or where that file has it from. */
function declarationOf(file: string, name: string): Export {
  const source = load(file)
  for (const statement of source.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const from = statement.source as { value: string } | null
    const passesOn = (statement.specifiers as { exported: { name: string } }[]).some(
      ({ exported }) => exported.name === name,
    )
    if (from !== null && passesOn) return declarationOf(fileOf(from.value, file), name)
    const declaration = statement.declaration as Node | null
    if (declaration === null || nameOf(declaration) !== name) continue
    return describe(source, statement, declaration, name)
  }
  throw new Error(`${file} does not export ${name}`)
}

function nameOf(declaration: Node): string | undefined {
  const [declarator] = (declaration.declarations ?? []) as { id: { name: string } }[]
  return (declaration.id as { name: string } | undefined)?.name ?? declarator?.id.name
}

function describe(source: Source, statement: Node, declaration: Node, name: string): Export {
  const common = { name, doc: docBefore(source, statement.start), call: null, shapes: [] }
  const full = source.text.slice(declaration.start, declaration.end)
  if (declaration.type === 'TSTypeAliasDeclaration') {
    const type = declaration.typeAnnotation as Node
    const call = type.type === 'TSFunctionType' ? callOf(source, type) : null
    return { ...common, kind: 'type', call, source: full, shapes: shapesOf(source, type), references: namesIn(type) }
  }
  if (declaration.type === 'ClassDeclaration') {
    const members = (declaration.body as { body: Node[] }).body.filter(({ type }) => type === 'PropertyDefinition')
    const properties = members.map((member) => propertyOf(source, member)).filter((member) => member.name !== 'name')
    const head = `class ${name} extends ${(declaration.superClass as { name: string }).name}`
    const shapes = [{ doc: NO_DOC, properties, includes: [], source: '' }]
    return { ...common, kind: 'class', source: head, shapes, references: members.flatMap(namesIn) }
  }
  const made = ((declaration.declarations ?? []) as { init: Node }[])[0]?.init ?? declaration
  const body = made.body as Node | undefined
  if (body === undefined || !('params' in made)) {
    return { ...common, kind: 'const', source: full, references: namesIn(declaration) }
  }
  const head = source.text.slice(declaration.start, body.start).replace(/\s*(?:=>\s*)?\(?$/, '')
  const references = [...(made.params as Node[]), made.returnType as Node].flatMap(namesIn)
  return { ...common, kind: 'function', source: head, call: callOf(source, made), references }
}

function callOf(source: Source, node: Node): Call {
  const returns = (node.returnType as { typeAnnotation: Node }).typeAnnotation
  const text = source.text.slice(returns.start, returns.end)
  return {
    parameters: (node.params as Node[]).map(parameterOf),
    returns: text,
    canThrow: throwsItself(node.body) || /^(?:Promise|AsyncGenerator)</.test(text),
  }
}

/** Whether something throws, but for the functions that it makes. */
function throwsItself(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(throwsItself)
  if (typeof node !== 'object' || node === null) return false
  const { type = '' } = node as { type?: string }
  if (type === 'ThrowStatement') return true
  return !/Function/.test(type) && Object.values(node).some(throwsItself)
}

function parameterOf(node: Node): Parameter {
  const inner = (node.type === 'AssignmentPattern' ? node.left : node) as Node
  const type = (inner.typeAnnotation as { typeAnnotation: Node } | undefined)?.typeAnnotation
  const name = inner.type === 'Identifier' ? (inner.name as string) : null
  return { name, members: type === undefined ? [] : literalsOf(type).flatMap(membersOf).map(keyOf) }
}

/** The object types that are written in place, alone or among what they are joined with. */
function literalsOf(type: Node): Node[] {
  if (type.type === 'TSTypeLiteral') return [type]
  if (type.type === 'TSParenthesizedType') return literalsOf(type.typeAnnotation as Node)
  if (type.type === 'TSIntersectionType') return (type.types as Node[]).flatMap(literalsOf)
  return []
}

const membersOf = (literal: Node): Node[] => literal.members as Node[]
const keyOf = (member: Node): string => (member.key as { name?: string; value?: string }).name ?? ''

function shapesOf(source: Source, type: Node): Shape[] {
  if (type.type === 'TSParenthesizedType') return shapesOf(source, type.typeAnnotation as Node)
  if (type.type === 'TSTypeOperator' || type.type === 'TSArrayType') {
    return shapesOf(source, (type.typeAnnotation ?? type.elementType) as Node)
  }
  if (type.type === 'TSTypeReference') {
    const [argument] = (type.typeArguments as { params: Node[] } | null)?.params ?? []
    const isWrapper = ['Promise', 'Readonly', 'AsyncGenerator'].includes(textOf(source, type.typeName as Node))
    return isWrapper && argument !== undefined ? shapesOf(source, argument) : []
  }
  if (type.type === 'TSUnionType') return variantsOf(source, type.types as Node[])
  if (type.type === 'TSIntersectionType') {
    const parts = type.types as Node[]
    const literals = literalsOf(type)
    const unions = parts.flatMap((part) => (literalsOf(part).length > 0 ? [] : shapesOf(source, part)))
    const includes = parts
      .filter((part) => literalsOf(part).length === 0 && part.type === 'TSTypeReference')
      .map((part) => textOf(source, part))
    const properties = literals.flatMap(membersOf).map((member) => propertyOf(source, member))
    return properties.length + includes.length === 0
      ? unions
      : [{ doc: NO_DOC, properties, includes, source: '' }, ...unions]
  }
  if (type.type !== 'TSTypeLiteral') return []
  const properties = membersOf(type).map((member) => propertyOf(source, member))
  return [{ doc: docBefore(source, type.start), properties, includes: [], source: textOf(source, type) }]
}

/** The members of a union; one that is a type of its own is told by its name, where others are written in place. */
function variantsOf(source: Source, parts: readonly Node[]): Shape[] {
  const found = parts.map((part) => ({ part, shapes: shapesOf(source, part) }))
  if (found.every(({ shapes }) => shapes.length === 0)) return []
  return found.flatMap(({ part, shapes }) => {
    const name = textOf(source, part)
    const isNamed = shapes.length === 0 && part.type === 'TSTypeReference'
    return isNamed ? [{ doc: NO_DOC, properties: [], includes: [name], source: name }] : shapes
  })
}

function propertyOf(source: Source, member: Node): Property {
  const annotation = (member.typeAnnotation as { typeAnnotation: Node } | null)?.typeAnnotation
  return {
    name: keyOf(member),
    isOptional: member.optional === true,
    type: annotation === undefined ? textOf(source, member.value as Node) : textOf(source, annotation),
    doc: docBefore(source, member.start),
    call: annotation?.type === 'TSFunctionType' ? callOf(source, annotation) : null,
    inner: annotation === undefined ? [] : shapesOf(source, annotation),
  }
}

const textOf = (source: Source, node: Node): string => source.text.slice(node.start, node.end)

/** The docblock that ends where something begins; one of a union may have a bar between. */
function docBefore({ text, comments }: Source, start: number): Docblock {
  const comment = comments.findLast(({ end }) => end <= start && /^[\s|]*$/.test(text.slice(end, start)))
  const found = comment === undefined ? '' : text.slice(comment.start, comment.end)
  return found.startsWith('/**') ? parseDocblock(found) : NO_DOC
}

/** The names of the types in a piece of syntax. */
function namesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn)
  if (typeof node !== 'object' || node === null) return []
  const { type, typeName } = node as { type?: string; typeName?: { name?: string } }
  const own = type === 'TSTypeReference' && typeName?.name !== undefined ? [typeName.name] : []
  return [...own, ...Object.values(node).flatMap(namesIn)]
}
