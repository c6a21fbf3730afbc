import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type AbiParameter, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pinned = readFileSync(join(root, 'contracts/test/pin/abi.txt'), 'utf8')

describe('the ABI that others build on', () => {
  it.each(['ServiceCore', 'ServiceRFQSettlement', 'QuorumSigner'])(
    'for %s is, word for word, that of contracts/test/pin',
    (name) => {
      const { abi } = JSON.parse(readFileSync(join(root, 'contracts/artifacts', `${name}.json`), 'utf8')) as {
        abi: Abi
      }
      const lines = abi.flatMap((item) => (item.type === 'constructor' ? [] : [lineOf(item)]))
      expect(lines.toSorted()).toEqual(pinnedOf(name).toSorted())
    },
  )
})

/** The lines of a contract: from its name to the next empty line. */
function pinnedOf(name: string): string[] {
  const parts = pinned.split('\n\n').map((part) => part.trim().split('\n'))
  const lines = parts.find(([title]) => title === name)
  if (!lines) throw new Error(`abi.txt says nothing of ${name}`)
  return lines.slice(1)
}

/** A function, event or error as Solidity writes it, after its selector. */
function lineOf(item: Abi[number]): string {
  if (item.type === 'event') return `${toEventSelector(item)} event ${item.name}${listOf(item.inputs)}`
  if (item.type === 'error') return `${toFunctionSelector(signatureOf(item))} error ${item.name}${listOf(item.inputs)}`
  if (item.type !== 'function') throw new Error(`no contract has a ${item.type}`)
  const ability = item.stateMutability === 'nonpayable' ? '' : ` ${item.stateMutability}`
  const results = item.outputs.length === 0 ? '' : ` returns ${listOf(item.outputs)}`
  return `${toFunctionSelector(item)} function ${item.name}${listOf(item.inputs)}${ability}${results}`
}

const signatureOf = ({ name, inputs }: { name: string; inputs: readonly AbiParameter[] }) =>
  `${name}(${inputs.map(({ type }) => type).join(',')})`

const listOf = (parameters: readonly AbiParameter[]): string => `(${parameters.map(parameterOf).join(', ')})`

function parameterOf(parameter: AbiParameter & { indexed?: boolean }): string {
  const type =
    'components' in parameter ? parameter.type.replace('tuple', listOf(parameter.components)) : parameter.type
  return [type, parameter.indexed ? 'indexed' : '', parameter.name].filter(Boolean).join(' ')
}
