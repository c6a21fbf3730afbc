import { createFileStore } from '../../src/relay/adapters/store/file.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { describeStore } from './store.suite.ts'

describeStore('the file store', async () => {
  const clock = createFakeClock()
  const folder = await temporaryFolder()
  const store = await createFileStore({ dir: folder.path, clock, log: createFakeLog() })
  return { store, now: clock.now, dispose: () => store.close().finally(folder.remove) }
})
