import { describe, expect, test } from 'vitest'
import { type AstNode, lackingNatSpec } from '../../contracts/scripts/natspec.mjs'

const named = (...names: string[]) => ({
  parameters: names.map((name) => ({ nodeType: 'VariableDeclaration', name, visibility: 'internal' })),
})

const contract = (name: string, nodes: AstNode[], text = '@notice Counts.'): AstNode => ({
  nodeType: 'ContractDefinition',
  name,
  documentation: { text },
  nodes,
})

/** The syntax tree of `function add(uint256 a) returns (uint256 sum, uint256)`. */
const add = (text: string | null, visibility = 'external'): AstNode => ({
  nodeType: 'FunctionDefinition',
  name: 'add',
  kind: 'function',
  visibility,
  documentation: text === null ? null : { text },
  parameters: named('a'),
  returnParameters: named('sum', ''),
})

const lacking = (...nodes: AstNode[]) =>
  lackingNatSpec(
    { 'src/C.sol': { ast: { nodeType: 'SourceUnit', nodes } }, 'other/D.sol': { ast: contract('D', [], '') } },
    'src',
  )

const WHOLE = '@notice Adds.\n@param a Number.\n@return sum Sum.\n@return Carry.'

describe('NatSpec of the contracts', () => {
  test.each<[string, string | null]>([
    ['@notice, @param a, @return sum, @return', null],
    ['@notice', WHOLE.replace('@notice', '@dev')],
    ['@param a', WHOLE.replace('@param a', '@param ab')],
    ['@return sum', WHOLE.replace('@return sum', '@return summed')],
    ['@return', WHOLE.replace('\n@return Carry.', '')],
    ['@notice, @param a, @return sum, @return', '@inheritdoc ERC20'],
  ])('names %s of a function that lacks it', (found, text) => {
    expect(lacking(contract('C', [add(text)]))).toEqual([`src/C.sol: C.add lacks ${found}`])
    expect(lacking(contract('C', [add(text, 'public')]))).toHaveLength(1)
    expect(lacking(contract('C', [add(text, 'internal'), add(text, 'private')]))).toEqual([])
  })

  test('is whole with all tags, or those of a contract of ours', () => {
    const base = contract('Base', [add(WHOLE)])
    expect(lacking(base, contract('C', [add('@inheritdoc Base')]))).toEqual([])
  })

  test('belongs to contracts, constructors, events, errors, structs, enums and public variables', () => {
    const members = [{ nodeType: 'VariableDeclaration', name: 'x', visibility: 'internal' }]
    const nodes: AstNode[] = [
      {
        nodeType: 'FunctionDefinition',
        name: '',
        kind: 'constructor',
        visibility: 'public',
        parameters: named('owner'),
      },
      { nodeType: 'EventDefinition', name: 'Added', parameters: named('a') },
      { nodeType: 'ErrorDefinition', name: 'TooLarge', parameters: named('') },
      { nodeType: 'StructDefinition', name: 'Sum', visibility: 'public', members },
      { nodeType: 'EnumDefinition', name: 'Sign', members },
      { nodeType: 'VariableDeclaration', name: 'total', visibility: 'public' },
      { nodeType: 'VariableDeclaration', name: 'hidden', visibility: 'internal' },
    ]
    expect(lacking(contract('C', nodes, '@title C'))).toEqual([
      'src/C.sol: C lacks @notice',
      'src/C.sol: C.constructor lacks @notice, @param owner',
      'src/C.sol: C.Added lacks @notice, @param a',
      'src/C.sol: C.TooLarge lacks @notice, the name of a parameter',
      'src/C.sol: C.Sum lacks @notice, @param x',
      'src/C.sol: C.Sign lacks @notice',
      'src/C.sol: C.total lacks @notice',
    ])
  })
})
