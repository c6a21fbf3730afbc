import { createSystemClock } from '../../../../src/relay/adapters/clock.ts'
import { createFileStore } from '../../../../src/relay/adapters/store/file.ts'
import { StoreOpenError } from '../../../../src/relay/adapters/store/open-error.ts'
import type { Log } from '../../../../src/relay/core/ports/runtime.ts'

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Holds the store of the folder that the command line names until it is killed, or says why it cannot. */
try {
  await createFileStore({ dir: process.argv[2] ?? '', clock: createSystemClock(), log: silent })
  console.log('open')
  setInterval(() => {}, 1_000)
} catch (error) {
  console.log(error instanceof StoreOpenError ? `${error.reason} ${error.message}` : String(error))
}
