import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { findBinary } from './foundry-binary.mjs'

/** @returns {Promise<number>} a port that was free a moment ago */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

/**
 * Starts Anvil on loopback with the specification's chain id and Prague's rules, mining a block a transaction.
 * @param {number} timestamp of the first block, in Unix seconds
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startAnvil(timestamp) {
  const port = await freePort()
  const args = ['--port', String(port), '--chain-id', '80002', '--hardfork', 'prague', '--timestamp', String(timestamp)]
  const anvil = spawn(findBinary('anvil'), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => void anvil.kill()
  process.on('exit', stop)
  await new Promise((resolve, reject) => {
    anvil.on('exit', (code) => reject(new Error(`Anvil ended with ${code} before it listened`)))
    anvil.stdout.on('data', (chunk) => String(chunk).includes('Listening on') && resolve(undefined))
  })
  return { url: `http://127.0.0.1:${port}`, stop }
}
