import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './compile.mjs'

/** Functions of contracts/src that proofs call, by the file that has them. */
const core = [
  ...['openPositionPaidBy', 'sellLongs', 'closePosition', 'closeFor', 'moveShort', 'claimHolderPayoutTo'],
  ...['claimWriterCollateralTo', 'claimAllFor', '_close', '_reduceShort', '_redeemAll', '_redeemLongs', '_redeemShort'],
  '_pay',
]
const registry = ['_known', '_tradable', '_fixing', '_setFixing', '_addExposure', '_reduceExposure']
const finality = ['_finalPrice', '_checkFinal', '_counts', '_isFinal']
const prices = [
  ...['settleWithAttestation', 'vetoSeries', 'vetoManual', 'proposeManual', 'executeManual', 'settleFromCondition'],
  ...['_setPrice', '_unpriced', '_manualFrom', '_lastResortFrom'],
]

const models = {
  CoreFunctions: { ServiceCore: core, SeriesRegistry: registry, ResolutionAuthority: finality },
  PriceFunctions: {
    ResolutionAuthority: [...finality, ...prices],
    SeriesRegistry: ['_known', '_fixing', '_setFixing'],
    Roles: ['removeFromRole'],
  },
}

/** What the checker cannot read, or what a proof looks at, is written otherwise; nothing else is. @type {[RegExp, string][]} */
const changes = [
  [/\bemit [^;]*;/g, ''],
  [/\brevert \w+\([^;]*\);/g, 'revert();'],
  [
    / {8}IConditionalTokens market[\s\S]*?uint256 resolutionBps = [^;]*;/g,
    '        uint256 resolutionBps = _reported;',
  ],
  [/\bTerms calldata terms\b/g, 'uint256 seriesId'],
  [/ {8}uint256 seriesId = _idOf\(terms\);\n/g, ''],
  [/_stablecoin\.safeTransfer(From)?\(/g, '_transfer$1('],
  [/\bSignatures\.check\(/g, '_check('],
  [/\bseries\.payoffAt\(/g, '_payoffAt(series, '],
  [/\bRole\b/g, 'IRoles.Role'],
  [/\bblock\.timestamp\b/g, '_time'],
  [/\s+nonReentrant\b/g, ''],
  [/\bcalldata\b/g, 'memory'],
  [/\bexternal\b/g, 'public'],
  [/\bprivate\b/g, 'internal'],
]

/** @param {string} source @param {string} name */
function functionOf(source, name) {
  const [found, ...others] = source.match(new RegExp(`^    function ${name}\\([\\s\\S]*?^    }\\n`, 'gm')) ?? []
  if (found === undefined || others.length > 0) throw new Error(`${name} is there ${others.length} times`)
  return changes.reduce((text, [from, to]) => text.replace(from, to), found)
}

/**
 * The source of a contract with functions of the core, as they stand in contracts/src: the checker finds no end with the whole of
 * ServiceCore and what it inherits.
 * @param {string} name
 * @param {(path: string) => string} [read] the text of a file of the repository
 */
export function coreFunctions(name, read = (path) => readFileSync(join(root, path), 'utf8')) {
  const model = models[/** @type {keyof typeof models} */ (name)]
  if (!model) throw new Error(`there is no ${name}`)
  const parts = Object.entries(model).flatMap(([file, functions]) => {
    const source = read(`contracts/src/${file}.sol`)
    const constants =
      file === 'ResolutionAuthority' ? (source.match(/^ {4}uint\d+ private constant [^;]*;\n/gm) ?? []) : []
    return [...constants, ...functions.map((one) => functionOf(source, one))]
  })
  return `// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord} from "../src/FixingWord.sol";
import {IRoles} from "../src/IRoles.sol";
import {OptionMath} from "../src/OptionMath.sol";
import {SeriesWord, SeriesWords} from "../src/SeriesWord.sol";
import {State} from "./State.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

abstract contract ${name} is State {
${parts.join('\n')}}
`
}
