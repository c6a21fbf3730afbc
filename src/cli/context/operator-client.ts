import { createOperatorClient, type OperatorClient } from '../../client/operator.ts'
import type { Cli } from '../cli.ts'
import { operatorToken } from './operator-token.ts'
import { type RelayOptions, relayUrl } from './where.ts'

/** A client for who runs the relay. */
export const operatorClient = (cli: Cli, options: RelayOptions): OperatorClient =>
  createOperatorClient({ url: relayUrl(cli, options), token: operatorToken(cli, options) })
