import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findAnvilBinary } from '../../dist/modules/onchain/devnet/anvil.js'
import { BIN } from '../lab/relay.mjs'
import { takeTurns } from '../rounds.mjs'

const ANVIL = { command: findAnvilBinary(), words: ['--port', '0', '--chain-id', '80002'] }

/** How soon things are there. */
export const p8 = {
  id: 'P8',
  title: 'start',
  run: async ({ quick, say }) => {
    say('node, --help, serve')
    const turns = await takeTurns(quick ? 3 : 7, {
      node: () => seconds({ words: ['-e', '0'] }),
      help: () => seconds({ words: [BIN, '--help'] }),
      simulated: () => serve('--no-chain'),
    })
    say('Anvil, serve on it')
    const chain = await takeTurns(quick ? 1 : 3, {
      anvil: () => seconds({ ...ANVIL, until: /Listening on/ }),
      embedded: () => serve(),
    })
    say('demo')
    const demo = await takeTurns(1, { demo: () => seconds({ words: [BIN, 'demo'] }) })
    const node = { name: 'node -e 0', unit: 's', samples: turns.node }
    const anvil = { name: 'Anvil alone', unit: 's', samples: chain.anvil }
    return {
      lines: [
        line('rfqctl --help', turns.help, { comparator: node, goal: { atMost: 0.3 } }),
        line('serve --no-chain, ready', turns.simulated, { comparator: node, over: turns.node, goal: { atMost: 0.6 } }),
        line('serve, ready', chain.embedded, { comparator: anvil, over: chain.anvil, goal: { atMost: 3 } }),
        line('demo, whole', demo.demo, { comparator: null, goal: { atMost: 30 } }),
      ],
      notes: ['serve is judged by the seconds beyond its comparator.'],
    }
  },
}

function line(what, samples, { comparator, over, goal }) {
  const beyond = over === undefined ? null : samples.map((sample, i) => sample - over[i])
  return { what, ours: { name: 'rfqctl', unit: 's', samples }, comparator, ratio: beyond, goal }
}

async function serve(...flags) {
  const dir = mkdtempSync(join(tmpdir(), 'rfqctl-bench-'))
  const words = [BIN, 'serve', '--json', '--port', '0', '--data-dir', dir, ...flags]
  const took = await seconds({ words, until: /"ready"/ })
  rmSync(dir, { recursive: true, force: true })
  return took
}

/** From the start of a program to its end, or to the first line of its output that looks so; in seconds. */
async function seconds({ command = process.execPath, words, until }) {
  const begun = performance.now()
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (until === undefined) child.stdout.resume()
  else await firstLine(child, until)
  if (until === undefined && (await ended) !== 0) throw new Error(`${words.join(' ')} failed`)
  const took = (performance.now() - begun) / 1_000
  child.kill()
  await ended
  return took
}

const firstLine = (child, pattern) =>
  new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => pattern.test(text) && resolve(undefined))
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)))
  })
