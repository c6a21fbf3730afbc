import { afterAll } from 'vitest'
import { watchWire } from '../../support/api/watch-wire.ts'
import { closeAll } from './keep.ts'

// Runs before each test file. Whatever the suite is answered is also judged by the relay's own documents.
watchWire()
afterAll(closeAll)
