import { afterAll } from 'vitest'
import { closeAll } from '../../kit/keep.ts'
import { watchWire } from '../../support/api/watch-wire.ts'

// Runs before each test file. Whatever the suite is answered is also judged by the relay's own documents.
watchWire()
afterAll(closeAll)
