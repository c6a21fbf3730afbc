// The core's work by hand, as a measure for contracts/src/ServiceCore.sol: the same checks, storage words and events,
// without reasons for its refusals. It is measured on a local chain and never deployed anywhere else.
// Constructor: stablecoin, settlement, resolution signer, registrar with the default cap above it, EIP-712 domain separator, chain
// id, dispute window, trading cut-off. The words of series and fixings are those of contracts/src; fixings, exposures and the
// ends of terms have the slots 1 << 32, 1 << 33 and 1 << 34 plus their number.
object "FloorCore" {
    code {
        let size := datasize("runtime")
        codecopy(0, datasize("FloorCore"), 0x100)
        let stablecoin := mload(0)
        let settlement := mload(0x20)
        // The signer and the number of its term, which is the first.
        sstore(0, or(mload(0x40), shl(160, 1)))
        sstore(1, mload(0x60))
        let separator := mload(0x80)
        let chain := mload(0xa0)
        let window := mload(0xc0)
        let cutoff := mload(0xe0)
        datacopy(0x100, dataoffset("runtime"), size)
        setimmutable(0x100, "stablecoin", stablecoin)
        setimmutable(0x100, "settlement", settlement)
        setimmutable(0x100, "separator", separator)
        setimmutable(0x100, "chain", chain)
        setimmutable(0x100, "window", window)
        setimmutable(0x100, "cutoff", cutoff)
        return(0x100, size)
    }

    object "runtime" {
        code {
            if callvalue() { revert(0, 0) }
            switch shr(224, calldataload(0))
            // openPositionPaidBy(address,address,address,uint256,uint256)
            case 0x19a3a91d {
                enter()
                let payer := calldataload(4)
                let writer := calldataload(36)
                let holder := calldataload(68)
                let id := calldataload(100)
                let amount := calldataload(132)
                require(eq(caller(), loadimmutable("settlement")))
                require(amount)
                require(iszero(shr(160, or(or(payer, writer), holder))))
                require(holder)
                let at := seriesSlot(id)
                let word := sload(at)
                require(lt(add(timestamp(), loadimmutable("cutoff")), and(word, 0xffffffffff)))
                require(iszero(and(word, haltedBit())))
                require(iszero(gt(amount, sub(0xfffffffffffffffff, shr(188, word)))))
                let collateral := mul(amount, mostOf(word))
                if and(word, cappedBit()) {
                    let place := exposureSlot(fixingOf(word))
                    let exposure := add(sload(place), collateral)
                    require(iszero(gt(and(exposure, 0xffffffffffffffffffffffffffffffff), shr(128, exposure))))
                    sstore(place, exposure)
                }
                sstore(at, add(word, shl(188, amount)))
                let short := accountSlot(id, writer, 3)
                sstore(short, add(sload(short), amount))
                mstore(0, amount)
                mstore(0x20, collateral)
                log4(0, 0x40, 0x834d866f87030e67894e94ef1e19f7aaa11b138dc9135512c996a2e30dcc5918, id, writer, holder)
                collect(payer, collateral)
                let long := accountSlot(id, holder, 4)
                sstore(long, add(sload(long), amount))
                emitTransfer(id, amount, 0, holder)
                if extcodesize(holder) { offer(holder, id, amount) }
                exit()
                mstore(0, collateral)
                return(0, 0x20)
            }
            // closePosition(uint256,uint256,address)
            case 0x62617a42 {
                enter()
                let id := calldataload(4)
                let amount := calldataload(36)
                let to := calldataload(68)
                require(amount)
                let at := seriesSlot(id)
                let word := sload(at)
                require(word)
                let short := accountSlot(id, caller(), 3)
                let shorts := sload(short)
                require(iszero(lt(shorts, amount)))
                sstore(short, sub(shorts, amount))
                sstore(at, sub(word, shl(188, amount)))
                let collateral := mul(amount, mostOf(word))
                if and(word, cappedBit()) {
                    let place := exposureSlot(fixingOf(word))
                    sstore(place, sub(sload(place), collateral))
                }
                burn(id, amount)
                mstore(0, to)
                mstore(0x20, amount)
                mstore(0x40, collateral)
                log3(0, 0x60, 0x03af40e92574161609a24c1e3a2a96cd98a0f3ae3a4374c31af5d68cdd3001fc, id, caller())
                pay(to, collateral)
                exit()
                mstore(0, collateral)
                return(0, 0x20)
            }
            // claimHolderPayout(uint256,uint256)
            case 0x49fddb6e {
                enter()
                let id := calldataload(4)
                let amount := calldataload(36)
                require(amount)
                let word := sload(seriesSlot(id))
                let payout := mul(amount, payoffAt(word, finalPrice(word)))
                burn(id, amount)
                mstore(0, caller())
                mstore(0x20, amount)
                mstore(0x40, payout)
                log3(0, 0x60, 0x62577d4555358101678d52cde0c3266c5d9a1f51568373db988aeed0c5ba4f7d, id, caller())
                pay(caller(), payout)
                exit()
                mstore(0, payout)
                return(0, 0x20)
            }
            // claimWriterCollateral(uint256)
            case 0x4b3a5293 {
                enter()
                let id := calldataload(4)
                let word := sload(seriesSlot(id))
                let resolution := finalPrice(word)
                let short := accountSlot(id, caller(), 3)
                let amount := sload(short)
                require(amount)
                sstore(short, 0)
                let collateral := mul(amount, sub(mostOf(word), payoffAt(word, resolution)))
                mstore(0, caller())
                mstore(0x20, amount)
                mstore(0x40, collateral)
                log3(0, 0x60, 0x1a4a3ea2763b29d56c2f33161f24473ebf92b58c9acff088b2cd4c068a51594a, id, caller())
                pay(caller(), collateral)
                exit()
                mstore(0, collateral)
                return(0, 0x20)
            }
            // settleWithAttestation(uint256,uint16,uint256,bytes)
            case 0x5355037d {
                let id := calldataload(4)
                let resolution := calldataload(36)
                let validUntil := calldataload(68)
                let signature := add(4, calldataload(100))
                require(iszero(gt(timestamp(), validUntil)))
                require(iszero(gt(validUntil, add(timestamp(), 86400))))
                require(eq(chainid(), loadimmutable("chain")))
                mstore(0, 0x0e9085255ba2b847122246107e48b66adf38263746e1a8b8b18da95e7d1f824f)
                calldatacopy(0x20, 4, 0x60)
                let structHash := keccak256(0, 0x80)
                mstore(0, shl(240, 0x1901))
                mstore(2, loadimmutable("separator"))
                mstore(0x22, structHash)
                let signer := sload(0)
                require(eq(recover(keccak256(0, 0x42), signature), and(signer, 0xffffffffffffffffffffffffffffffffffffffff)))
                let word := sload(seriesSlot(id))
                require(word)
                let place := fixingSlot(fixingOf(word))
                let fixing := sload(place)
                require(iszero(counts(fixing)))
                require(iszero(and(fixing, vetoedBit())))
                require(iszero(lt(timestamp(), and(word, 0xffffffffff))))
                require(iszero(gt(resolution, 100)))
                let finalAt := add(timestamp(), loadimmutable("window"))
                // Bits 48 to 127: resolutionBps, finalAt and the term, which is above the signer in its word.
                let price := or(shl(48, resolution), or(shl(56, finalAt), shl(96, shr(160, signer))))
                if iszero(loadimmutable("window")) { price := or(price, finalBit()) }
                sstore(place, or(and(fixing, not(0xffffffffffffffffffff000000000000)), price))
                mstore(0, resolution)
                mstore(0x20, finalAt)
                log2(0, 0x40, 0xaa902bb315392c0613a6d8753d36edc6e4b4be42a8b098a0d0987694027e17ea, id)
                stop()
            }
            // createSeries(bytes32,uint256,address,uint16,uint64,uint8)
            case 0x34e0fc24 {
                // Registrar, default cap in 64 bits and number of the last fixing in 32.
                let roles := sload(1)
                require(eq(caller(), and(roles, 0xffffffffffffffffffffffffffffffffffffffff)))
                let strike := calldataload(100)
                let expiry := calldataload(132)
                let optionType := calldataload(164)
                require(lt(sub(strike, 1), 9999))
                require(gt(expiry, timestamp()))
                require(iszero(gt(expiry, add(timestamp(), 3155760000))))
                require(lt(optionType, 2))
                calldatacopy(0, 4, 0x40)
                calldatacopy(0x40, 100, 0x60)
                let id := keccak256(0, 0xa0)
                log3(0x20, 0x80, 0xf65eda2079c3e57d18771e2ad6eb93d6ae9a55f6e822276c6d09ccc213619a9c, id, calldataload(4))
                mstore(0x40, expiry)
                let key := keccak256(0, 0x60)
                let fixing := sload(key)
                if iszero(fixing) {
                    fixing := add(shr(224, roles), 1)
                    sstore(1, add(roles, shl(224, 1)))
                    sstore(fixingSlot(fixing), expiry)
                    let cap := and(shr(160, roles), 0xffffffffffffffff)
                    if cap {
                        sstore(exposureSlot(fixing), shl(128, cap))
                        // In the series' word, 40 bits higher, this is the flag of a cap.
                        fixing := or(fixing, shl(33, 1))
                    }
                    sstore(key, fixing)
                }
                let at := seriesSlot(id)
                require(iszero(sload(at)))
                let most := strike
                if iszero(optionType) { most := sub(10000, strike) }
                let leg := or(shl(90, optionType), shl(76, strike))
                sstore(at, or(or(expiry, shl(40, fixing)), or(leg, shl(168, most))))
                mstore(0, id)
                return(0, 0x20)
            }
            default { revert(0, 0) }

            function require(condition) {
                if iszero(condition) { revert(0, 0) }
            }
            function enter() {
                if tload(0) { revert(0, 0) }
                tstore(0, 1)
            }
            function exit() { tstore(0, 0) }
            function haltedBit() -> bit { bit := 0x1000000000000000000 }
            function cappedBit() -> bit { bit := 0x2000000000000000000 }
            function finalBit() -> bit { bit := 0x10000000000 }
            function vetoedBit() -> bit { bit := 0x20000000000 }
            function fixingOf(word) -> place { place := and(shr(40, word), 0xffffffff) }
            function fixingSlot(place) -> slot { slot := or(0x100000000, place) }
            function exposureSlot(place) -> slot { slot := or(0x200000000, place) }
            // Whether there is a price, not void by a revocation of its signer before it was final.
            function counts(fixing) -> yes {
                let finalAt := and(shr(56, fixing), 0xffffffffff)
                if finalAt {
                    yes := and(fixing, finalBit())
                    if iszero(yes) {
                        let revokedAt := sload(or(0x400000000, and(shr(96, fixing), 0xffffffff)))
                        yes := or(iszero(revokedAt), iszero(lt(revokedAt, finalAt)))
                    }
                }
            }
            // The first claim notes that the price is final.
            function finalPrice(word) -> resolution {
                let place := fixingSlot(fixingOf(word))
                let fixing := sload(place)
                if iszero(and(fixing, finalBit())) {
                    require(counts(fixing))
                    require(iszero(lt(timestamp(), and(shr(56, fixing), 0xffffffffff))))
                    sstore(place, or(fixing, finalBit()))
                }
                resolution := and(shr(48, fixing), 0xff)
            }
            function seriesSlot(id) -> slot {
                mstore(0, id)
                mstore(0x20, 2)
                slot := keccak256(0, 0x40)
            }
            function accountSlot(id, account, table) -> slot {
                mstore(0, id)
                mstore(0x20, or(shl(8, account), table))
                slot := keccak256(0, 0x40)
            }
            function mostOf(word) -> most { most := mul(and(shr(168, word), 0xfffff), 100) }
            function payoffAt(word, resolution) -> value {
                let strike := and(shr(76, word), 0x3fff)
                let price := mul(resolution, 100)
                switch and(shr(90, word), 1)
                case 0 { if gt(price, strike) { value := mul(sub(price, strike), 100) } }
                default { if gt(strike, price) { value := mul(sub(strike, price), 100) } }
            }
            function burn(id, amount) {
                let long := accountSlot(id, caller(), 4)
                let longs := sload(long)
                require(iszero(lt(longs, amount)))
                sstore(long, sub(longs, amount))
                emitTransfer(id, amount, caller(), 0)
            }
            function emitTransfer(id, amount, from, to) {
                mstore(0, id)
                mstore(0x20, amount)
                log4(0, 0x40, 0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62, caller(), from, to)
            }
            // onERC1155Received(address,address,uint256,uint256,bytes) must answer with its selector.
            function offer(holder, id, amount) {
                mstore(0, 0xf23a6e61)
                mstore(0x20, caller())
                mstore(0x40, 0)
                mstore(0x60, id)
                mstore(0x80, amount)
                mstore(0xa0, 0xa0)
                mstore(0xc0, 0)
                require(call(gas(), holder, 0, 0x1c, 0xc4, 0, 0x20))
                require(eq(shr(224, mload(0)), 0xf23a6e61))
            }
            function collect(from, amount) {
                mstore(0, shl(224, 0x23b872dd))
                mstore(4, from)
                mstore(0x24, address())
                mstore(0x44, amount)
                require(and(eq(mload(0), 1), call(gas(), loadimmutable("stablecoin"), 0, 0, 0x64, 0, 0x20)))
            }
            function pay(to, amount) {
                require(to)
                require(xor(to, address()))
                require(xor(to, loadimmutable("settlement")))
                if amount {
                    mstore(0, shl(224, 0xa9059cbb))
                    mstore(4, to)
                    mstore(0x24, amount)
                    require(and(eq(mload(0), 1), call(gas(), loadimmutable("stablecoin"), 0, 0, 0x44, 0, 0x20)))
                }
            }
            function recover(digest, signature) -> signer {
                require(eq(calldataload(signature), 65))
                let s := calldataload(add(signature, 0x40))
                require(lt(s, 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1))
                mstore(0, digest)
                mstore(0x20, byte(0, calldataload(add(signature, 0x60))))
                mstore(0x40, calldataload(add(signature, 0x20)))
                mstore(0x60, s)
                require(staticcall(gas(), 1, 0, 0x80, 0, 0x20))
                require(returndatasize())
                signer := mload(0)
            }
        }
    }
}
