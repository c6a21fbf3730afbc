import { parseSync } from 'oxc-parser'

type Node = { type: string; start: number } & Record<string, unknown>

/** What takes several promises, and listens to each of them at once. */
const GATHERERS = ['all', 'allSettled', 'any', 'race']

/** What a promise is gone on from with. */
const CHAINED = ['then', 'catch', 'finally']

/**
 * Promises that are made, kept under a name, and awaited only after something else was: should that reject first, nobody
 * listens when they do, and a rejection that nobody hears ends a process. The linter sees a name and takes it for handled. To
 * wait for both at once (`Promise.all`) or to make them later is the way out.
 */
export function latePromises(file: string, source: string): string[] {
  const { program } = parseSync(file, source)
  const found: string[] = []
  const visit = (node: Node): void => {
    if (node.type === 'BlockStatement' || node.type === 'Program') {
      for (const { name, start } of lateIn(node.body as Node[])) {
        found.push(
          `src/${file}:${source.slice(0, start).split('\n').length} makes ${name} and awaits something else first`,
        )
      }
    }
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program as unknown as Node)
  return found
}

/** Of the names that a block declares, those whose first use awaits them, after another await. */
function lateIn(statements: readonly Node[]): { name: string; start: number }[] {
  return statements.flatMap((statement, made) =>
    namesOf(statement).filter(({ name }) => {
      const later = statements.slice(made + 1)
      const use = later.findIndex((candidate) => some(candidate, (node) => isName(node, name)))
      const first = later[use]
      return first !== undefined && awaits(first, name) && later.slice(0, use).some((between) => some(between, isAwait))
    }),
  )
}

/** The names that a statement gives to what may be a promise: the answers of calls that it does not await. */
function namesOf({ type, kind, declarations }: Node): { name: string; start: number }[] {
  if (type !== 'VariableDeclaration' || kind !== 'const') return []
  return (declarations as Node[]).flatMap(({ id, init }) => {
    const [named, value] = [id as Node, init as Node | null]
    return named.type === 'Identifier' && value?.type === 'CallExpression'
      ? [{ name: named.name as string, start: named.start }]
      : []
  })
}

/** `await name`, `await name.finally(…)`, `await Promise.all([name])`: only promises are used so. */
const awaits = (statement: Node, name: string): boolean =>
  some(statement, (node) => isAwait(node) && isPromiseUse(node.argument as Node, name))

function isPromiseUse(node: Node, name: string): boolean {
  if (isName(node, name)) return true
  if (node.type !== 'CallExpression') return false
  const { object, property } = node.callee as Node & { object?: Node; property?: Node }
  if (object === undefined || property === undefined) return false
  if (!isName(object, 'Promise')) return CHAINED.includes(property.name as string) && isPromiseUse(object, name)
  const [list] = node.arguments as (Node & { elements?: Node[] })[]
  return GATHERERS.includes(property.name as string) && (list?.elements ?? []).some((element) => isName(element, name))
}

/** Whether a node or anything within it, functions of its own left out, is such. */
const some = (node: Node, is: (node: Node) => boolean): boolean =>
  is(node) || (!/Function/.test(node.type) && childrenOf(node).some((child) => some(child, is)))

const isAwait = ({ type }: Node): boolean => type === 'AwaitExpression'
const isName = (node: Node, name: string): boolean => node.type === 'Identifier' && node.name === name

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter(
      (value): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value,
    )
