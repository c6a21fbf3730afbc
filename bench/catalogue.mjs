import { dashboard } from './cases/dashboard.mjs'
import { p1 } from './cases/p1-quotes.mjs'
import { p2 } from './cases/p2-fan-out.mjs'
import { p3 } from './cases/p3-rounds.mjs'
import { p3b } from './cases/p3b-beside-peer.mjs'
import { p3c } from './cases/p3c-thousand-makers.mjs'
import { p3d } from './cases/p3d-two-sided.mjs'
import { p4 } from './cases/p4-commit.mjs'
import { p5 } from './cases/p5-confirms.mjs'
import { p6 } from './cases/p6-memory.mjs'
import { p7 } from './cases/p7-growth.mjs'
import { p8 } from './cases/p8-start.mjs'
import { p9 } from './cases/p9-durable-commits.mjs'
import { p10 } from './cases/p10-nodes.mjs'
import { p11 } from './cases/p11-gas.mjs'
import { p12 } from './cases/p12-soak.mjs'
import { p13 } from './cases/p13-abuse.mjs'
import { p14 } from './cases/p14-web.mjs'
import { profile } from './cases/profile.mjs'
import { scaling } from './cases/scaling.mjs'

/** Every benchmark, by its row in the table of goals. */
export const BENCHMARKS = [
  p1,
  p2,
  p3,
  p3b,
  p3c,
  p3d,
  p4,
  p5,
  p6,
  p7,
  p8,
  p9,
  p10,
  p11,
  p12,
  p13,
  p14,
  dashboard,
  profile,
  scaling,
]
