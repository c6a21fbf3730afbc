import { dirname, join } from 'node:path'
import { CliError } from '@rfqctl/lib/cli-error'
import { attestationDomain } from '@rfqctl/protocol/domain/attestation'
import type { TwapLimits } from '@rfqctl/protocol/domain/resolution'
import { connectChain } from '../adapters/chain/connect.ts'
import { createHttpMarkets } from '../adapters/markets/http.ts'
import { createHttpPrices } from '../adapters/prices/http.ts'
import { createLimitedSigner } from '../adapters/signer/limits.ts'
import { createOwnPrice } from '../adapters/signer/own-price.ts'
import { serveSigner } from '../adapters/signer/server.ts'
import { createSignedPrices } from '../adapters/signer/signed-prices.ts'
import type { ChainEnvironment, ResolutionSigner } from '../core/ports/chain.ts'
import type { Clock, Log } from '../core/ports/runtime.ts'
import { inspectDeployment } from './inspect-deployment.ts'

/** Sources of a signer's own, with the limits of an average, and the time in milliseconds that they need after an expiry. */
export type SignerSources = { marketsUrl: string; historyUrl: string; limits: TwapLimits; lagMs: number }

/** `socket` and `dataDir` are absolute paths. */
type SignerPlan = {
  signer: ResolutionSigner
  rpcUrl: string
  environment: ChainEnvironment
  socket: string
  /** Whether the group of this process may open the socket, too. */
  isForGroup: boolean
  dataDir: string
  maxValidityS: number
  /** It checks prices by these; null: it signs the first price that it is given. */
  sources: SignerSources | null
  clock: Clock
  log: Log
}

/**
 * Reads the chain itself, keeps what it signed below `dataDir`, and warns when the core does not accept its signatures.
 * Refuses with exit code 10 while another signer answers at the socket, and with 2 where the socket must not be.
 */
export async function startSigner(plan: SignerPlan): Promise<{ close: () => Promise<void> }> {
  const { rpcUrl, environment, socket, isForGroup, dataDir, sources, clock, log, ...rest } = plan
  const { chain, rpc } = await connectChain({ rpcUrl, environment, startBlock: 0, cacheMs: 0, clock })
  await inspectDeployment({ rpc, chain, resolutionSigner: rest.signer, isProduction: false, log })
  const { chainId, coreAddress } = environment
  const signer = createLimitedSigner({
    ...rest,
    chain,
    domain: attestationDomain(chainId, coreAddress),
    prices: createSignedPrices(signedPricesDir(dataDir, environment)),
    ownPrice: sources === null ? null : openSources(sources, { clock, log }),
    clock,
    log,
  })
  const server = await serveSigner({ signer, path: socket, isForGroup, log }).catch((fault: unknown) => {
    throw explain(fault, socket)
  })
  const reason = sources === null ? 'checks no price: it has no sources' : 'checks each price by sources of its own'
  log.info('started', { chainId, coreAddress, resolutionSigner: signer.address, path: socket, reason })
  return server
}

/** Prices that a signer of a core has signed, or shall sign. */
export const signedPricesDir = (
  dataDir: string,
  { chainId, coreAddress }: Pick<ChainEnvironment, 'chainId' | 'coreAddress'>,
): string => join(dataDir, 'signer', `${chainId}-${coreAddress.toLowerCase()}`)

const openSources = ({ marketsUrl, historyUrl, ...rest }: SignerSources, { clock, log }: { clock: Clock; log: Log }) =>
  createOwnPrice({
    prices: createHttpPrices({ url: historyUrl, log }),
    markets: createHttpMarkets({ url: marketsUrl }),
    clock,
    ...rest,
  })

function explain(fault: unknown, socket: string): unknown {
  const { code, message } = fault as NodeJS.ErrnoException
  if (code === 'EACCES') {
    return new CliError(`the signer cannot listen at ${socket}`, {
      why: [message],
      hint: `choose a folder that this user may write to; with --group-access, of mode 0750: chmod 750 ${dirname(socket)}`,
      cause: fault,
    })
  }
  if (code !== 'EADDRINUSE') return fault
  return new CliError(`${socket} is in use`, {
    code: 'in_use',
    hint: 'another signer runs here: choose another socket with --socket',
    cause: fault,
  })
}
