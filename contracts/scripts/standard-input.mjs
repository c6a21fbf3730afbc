import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { contractFile, productionSettings, sourcesIn } from './compile.mjs'

/** What block explorers read of the compiler's output. */
const outputSelection = { '*': { '*': ['abi', 'metadata', 'evm.bytecode.object', 'evm.deployedBytecode'] } }

const imports = /^import\s[^;]*?["']([^"']+)["'];/gm

/**
 * The compiler's standard-JSON input for the deployed contracts: every source with all that it imports, so that a block
 * explorer, which reads no file, makes the very bytecode of the artifacts from it.
 */
export function standardInput() {
  /** @type {Map<string, string>} */
  const sources = new Map()
  /** @param {string} path */
  const add = (path) => {
    if (sources.has(path)) return
    const content = readFileSync(contractFile(path), 'utf8')
    sources.set(path, content)
    for (const [, to = ''] of content.matchAll(imports)) {
      add(to.startsWith('.') ? posix.join(posix.dirname(path), to) : to)
    }
  }
  for (const path of Object.keys(sourcesIn('contracts/src'))) add(path)
  const sorted = [...sources].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    language: 'Solidity',
    sources: Object.fromEntries(sorted.map(([path, content]) => [path, { content }])),
    settings: { ...productionSettings, outputSelection },
  }
}

/** A line for each source, so that a change of one source is a change of one line. @param {ReturnType<typeof standardInput>} input */
export function encodeStandardInput({ language, sources, settings }) {
  const lines = Object.entries(sources).map(
    ([path, source]) => `    ${JSON.stringify(path)}: ${JSON.stringify(source)}`,
  )
  return `{
  "language": ${JSON.stringify(language)},
  "settings": ${JSON.stringify(settings)},
  "sources": {
${lines.join(',\n')}
  }
}
`
}
