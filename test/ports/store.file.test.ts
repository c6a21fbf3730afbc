import { createFileStore } from '../../src/relay/adapters/store/file.ts'
import { newFolder, removeFolder } from '../kit/folder.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { createFakeLog } from '../support/fake-log.ts'
import { describeStore } from './store.suite.ts'

describeStore('the file store', async () => {
  const clock = createFakeClock()
  const folder = newFolder()
  const store = await createFileStore({ dir: folder, clock, log: createFakeLog() })
  return { store, now: clock.now, dispose: () => store.close().finally(() => removeFolder(folder)) }
})
