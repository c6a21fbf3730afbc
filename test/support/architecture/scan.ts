import { parseSync } from 'oxc-parser'

/** What a source file reaches for: modules, static, dynamic and type-only, and names used as values, members included. */
export type Scan = { imports: Reach[]; uses: Reach[] }

/** Something reached for, and the line on which it stands. `text` is null for a module whose name is computed. */
export type Reach = { text: string | null; line: number }

type Node = { type: string; start: number } & Record<string, unknown>

/** Reads one file of TypeScript. Throws when it does not parse, so that no file is passed over. */
export function scanSource(file: string, source: string): Scan {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const scan: Scan = { imports: [], uses: [] }
  const lineOf = (node: Node) => source.slice(0, node.start).split('\n').length

  const visit = (node: Node): void => {
    const line = lineOf(node)
    const module = moduleOf(node)
    if (module !== undefined) scan.imports.push({ text: module, line })
    for (const text of usesOf(node)) scan.uses.push({ text, line })
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program as unknown as Node)
  return scan
}

const IMPORTS = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]

/** The module that a node imports: its name, null when it is computed, undefined when the node imports nothing. */
function moduleOf(node: Node): string | null | undefined {
  const source = node.source as Node | null | undefined
  if (!IMPORTS.includes(node.type) || source === null || source === undefined) return undefined
  return typeof source.value === 'string' ? source.value : null
}

/** The names that a node uses as values: `process.env`, `new Date()`, `setTimeout`. */
function usesOf(node: Node): string[] {
  const name = nameOf(node)
  if (name !== null) return [name]
  const { callee, arguments: args } = node as { callee?: Node; arguments?: Node[] }
  if (node.type === 'CallExpression' && callee && nameOf(callee) === 'Date') return ['Date()']
  if (node.type === 'NewExpression' && callee && nameOf(callee) === 'Date' && args?.length === 0) return ['new Date()']
  if (node.type === 'VariableDeclarator') return destructuredNames(node)
  return []
}

/** A name or a chain of members, without a leading `globalThis`; null for any other expression. */
function nameOf(node: Node): string | null {
  if (node.type === 'Identifier') return node.name as string
  if (node.type !== 'MemberExpression') return null
  const object = nameOf(node.object as Node)
  const property = node.property as Node
  const member = node.computed ? property.value : property.name
  if (object === null || typeof member !== 'string') return null
  return object === 'globalThis' ? member : `${object}.${member}`
}

/** What `const { env } = process` takes: `process.env`. */
function destructuredNames({ id, init }: Node): string[] {
  const object = init ? nameOf(init as Node) : null
  const { type, properties } = id as Node & { properties?: { key?: Node }[] }
  if (object === null || type !== 'ObjectPattern') return []
  const keys = (properties ?? []).flatMap(({ key }) => (key?.type === 'Identifier' ? [key.name as string] : []))
  return keys.map((key) => (object === 'globalThis' ? key : `${object}.${key}`))
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** The nodes inside a node that can use a value or import: no names of members and no imported names. */
function childrenOf(node: Node): Node[] {
  const hasName = 'computed' in node && !node.computed
  const skipped = new Set([...(hasName ? ['property', 'key'] : []), 'specifiers', 'source', 'typeName', 'exprName'])
  const inside = Object.entries(node).filter(([key]) => !skipped.has(key))
  const nodes = inside.flatMap(([, value]) => value).filter(isNode)
  return node.type === 'ImportExpression' ? [...nodes, node.source as Node] : nodes
}
