import { createMemoryStore } from '../../src/relay/adapters/store/memory.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { describeStore } from './store.suite.ts'

describeStore('the memory store', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  return { store, now: clock.now, dispose: store.close }
})
