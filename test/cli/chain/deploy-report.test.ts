import { expect, test } from 'vitest'
import { handoverOf } from '../../../src/cli/chain/deployment/report.ts'

const [deployer, owner, core] = ['0x1', '0x2', '0x3'] as const
const deployment = { coreAddress: core }

test('who is to own the core is told how to take it over, as a person and as a multi-signature wallet', () => {
  const handover = handoverOf({ deployer, owner }, deployment, deployer)
  expect(handover?.document).toEqual({
    type: 'handover',
    owner,
    holder: deployer,
    command: 'rfqctl chain accept-ownership --key-file PATH --rpc URL',
    call: { to: core, data: '0x79ba5097' },
  })
  expect(handover?.lines.join('\n')).toContain(`to ${core}, data 0x79ba5097`)
})

test('nobody is told who is the deployer, or owns it by now', () => {
  expect(handoverOf({ deployer, owner: deployer }, deployment, deployer)).toBeNull()
  expect(handoverOf({ deployer, owner }, deployment, owner)).toBeNull()
})
