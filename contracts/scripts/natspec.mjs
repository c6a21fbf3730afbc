// What the contracts say of themselves (NatSpec): wallets and block explorers show it beside a call. build.mjs refuses sources
// that leave something out. That the names of `@param`, `@return` and `@inheritdoc` exist, the compiler checks itself.

/** @import { AstNode } from './natspec.d.mts' */

/** @param {AstNode} node */
const isPublic = ({ nodeType, visibility, kind }) =>
  nodeType === 'FunctionDefinition'
    ? visibility === 'external' || visibility === 'public' || kind === 'constructor'
    : nodeType === 'VariableDeclaration'
      ? visibility === 'public'
      : ['ContractDefinition', 'EventDefinition', 'ErrorDefinition', 'StructDefinition', 'EnumDefinition'].includes(
          nodeType,
        )

/** @param {string} text @param {'param' | 'return'} tag @param {string} name */
const isDescribed = (text, tag, name) => new RegExp(`@${tag}\\s+${name.replaceAll('$', '\\$')}\\s+[^\\s@]`).test(text)

/**
 * The tags that a declaration lacks. The members of a struct count as its parameters; those of an enum have no tag. What it
 * inherits counts from contracts of ours, since libraries describe theirs to developers alone (`@dev`).
 * @param {AstNode} node
 * @param {ReadonlySet<string | undefined>} own names of our contracts
 */
function lackingTags(node, own) {
  const text = node.documentation?.text ?? ''
  if (own.has(/@inheritdoc\s+(\S+)/.exec(text)?.[1])) return []
  const parameters = node.nodeType === 'StructDefinition' ? (node.members ?? []) : (node.parameters?.parameters ?? [])
  const lacking = /@notice\s+\S/.test(text) ? [] : ['@notice']
  for (const { name } of parameters) {
    if (!name) lacking.push('the name of a parameter')
    else if (!isDescribed(text, 'param', name)) lacking.push(`@param ${name}`)
  }
  const described = text.match(/@return\s+[^\s@]/g)?.length ?? 0
  for (const [index, { name }] of (node.returnParameters?.parameters ?? []).entries()) {
    if (name ? !isDescribed(text, 'return', name) : index >= described) lacking.push(`@return ${name ?? ''}`.trimEnd())
  }
  return lacking
}

/**
 * A line for each declaration that outsiders see and that lacks a tag: contracts, external and public functions, constructors,
 * events, errors, structs, enums and public variables. Not value types, whose comments the compiler drops. `sources` is the compiler's output of that name.
 * @param {Record<string, { ast: AstNode }>} sources
 * @param {string} folder whose files are read
 */
export function lackingNatSpec(sources, folder) {
  const files = Object.entries(sources).filter(([path]) => path.startsWith(`${folder}/`))
  const own = new Set(files.flatMap(([, { ast }]) => (ast.nodes ?? []).map(({ name }) => name)).filter(Boolean))
  /** @type {string[]} */
  const lines = []
  for (const [path, { ast }] of files) {
    /** @param {AstNode} node @param {string} scope */
    const visit = (node, scope) => {
      const name = `${scope}${node.name || node.kind || ''}`
      const lacking = isPublic(node) ? lackingTags(node, own) : []
      if (lacking.length > 0) lines.push(`${path}: ${name} lacks ${lacking.join(', ')}`)
      for (const child of node.nodes ?? []) visit(child, node.nodeType === 'ContractDefinition' ? `${name}.` : scope)
    }
    visit(ast, '')
  }
  return lines
}
