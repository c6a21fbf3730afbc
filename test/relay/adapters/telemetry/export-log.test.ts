import { expect, it } from 'vitest'
import { reportingOutages } from '../../../../src/relay/adapters/telemetry/export-log.ts'
import { createFakeLog } from '../../../support/fake-log.ts'

it('an outage of the collector is two lines, however many batches it takes, and says how many spans were lost', () => {
  const log = createFakeLog()
  let code = 1
  const exporter = reportingOutages({ export: (_, done) => done({ code }), shutdown: async () => {} }, log)
  const send = (count: number) =>
    exporter.export(
      Array.from({ length: count }, () => ({}) as never),
      () => {},
    )
  send(2)
  send(3)
  send(4)
  code = 0
  send(5)
  send(6)
  expect(log.lines.map(({ level, event, fields }) => [level, event, fields.count])).toEqual([
    ['warn', 'traces_not_sent', 2],
    ['info', 'traces_sent_again', 9],
  ])
})
