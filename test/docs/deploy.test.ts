import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT } from '../../src/lib/exit.ts'
import { ROOT } from '../conformance/harness/build.ts'

const read = (name: string) => readFileSync(join(ROOT, 'docs', name), 'utf8')

describe('what an operator can start from', () => {
  test('a unit starts no relay again whose settings or store are at fault, and waits for its drain', () => {
    const unit = read('deploy/rfqctl.service')
    expect(unit).toContain(`RestartPreventExitStatus=${EXIT.usage} ${EXIT.corrupt}\n`)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20)
  })

  test('a proxy passes events on at once, holds connections longer than a ping takes, and keeps operators apart', () => {
    const places = read('deploy/nginx.conf')
      .split(/^ {4}location /m)
      .slice(1)
    expect(places.map((place) => place.split(' {')[0])).toEqual(['/', '~ ^/(ops/|metrics$)'])
    for (const place of places) {
      expect(place).toContain('proxy_buffering off;')
      expect(Number(/proxy_read_timeout (\d+)s;/.exec(place)?.[1])).toBeGreaterThan(60)
    }
    expect(places[1]).toContain('deny all;')
  })
})
