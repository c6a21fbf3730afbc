// The settlement contract's work by hand, as a measure for contracts/src/ServiceRFQSettlement.sol: the same checks,
// storage words and events, without reasons for its refusals and without ERC-1271. Never deployed but to be measured.
// Constructor: core, stablecoin, EIP-712 domain separator, chain id.
object "FloorSettlement" {
    code {
        let size := datasize("runtime")
        codecopy(0, datasize("FloorSettlement"), 0x80)
        let core := mload(0)
        let stablecoin := mload(0x20)
        let separator := mload(0x40)
        let chain := mload(0x60)
        datacopy(0x100, dataoffset("runtime"), size)
        setimmutable(0x100, "core", core)
        setimmutable(0x100, "stablecoin", stablecoin)
        setimmutable(0x100, "separator", separator)
        setimmutable(0x100, "chain", chain)
        return(0x100, size)
    }

    object "runtime" {
        code {
            if callvalue() { revert(0, 0) }
            switch shr(224, calldataload(0))
            // fill(Order,bytes)
            case 0x72cc551a {
                fill(4, add(4, calldataload(0x104)))
                stop()
            }
            // fillWithPermit(Order,bytes,Permit)
            case 0x1350a53f {
                mstore(0, 0xd505accf)
                mstore(0x20, caller())
                mstore(0x40, address())
                if iszero(calldataload(0x84)) { mstore(0x40, loadimmutable("core")) }
                calldatacopy(0x60, 0x124, 0xa0)
                pop(call(gas(), loadimmutable("stablecoin"), 0, 0x1c, 0xe4, 0, 0))
                fill(4, add(4, calldataload(0x104)))
                stop()
            }
            // fillBatch(Order[],bytes[])
            case 0x58770ee4 {
                let orders := add(4, calldataload(4))
                let signatures := add(4, calldataload(0x24))
                let count := calldataload(orders)
                require(count)
                require(eq(count, calldataload(signatures)))
                orders := add(orders, 0x20)
                signatures := add(signatures, 0x20)
                for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                    fill(add(orders, shl(8, i)), add(signatures, calldataload(add(signatures, shl(5, i)))))
                }
                stop()
            }
            default { revert(0, 0) }

            function require(condition) {
                if iszero(condition) { revert(0, 0) }
            }
            // order: place of its eight words; signature: place of its length
            function fill(order, signature) {
                let maker := calldataload(order)
                require(eq(caller(), calldataload(add(order, 0xa0))))
                require(iszero(gt(timestamp(), calldataload(add(order, 0xc0)))))
                require(calldataload(add(order, 0x40)))
                require(xor(maker, caller()))
                require(lt(calldataload(add(order, 0x80)), 2))
                require(eq(chainid(), loadimmutable("chain")))
                mstore(0, 0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc)
                calldatacopy(0x20, order, 0x100)
                let structHash := keccak256(0, 0x120)
                mstore(0, shl(240, 0x1901))
                mstore(2, loadimmutable("separator"))
                mstore(0x22, structHash)
                require(eq(recover(keccak256(0, 0x42), signature), maker))
                useNonce(maker, calldataload(add(order, 0xe0)))
                trade(order, maker)
            }
            function trade(order, maker) {
                let premium := calldataload(add(order, 0x60))
                let amount := calldataload(add(order, 0x40))
                let makerSelling := calldataload(add(order, 0x80))
                mstore(0, amount)
                mstore(0x20, premium)
                mstore(0x40, makerSelling)
                mstore(0x60, calldataload(add(order, 0xe0)))
                log4(0, 0x80, 0xd2aa9d7c53d39975dd281bf350c17f1124ac5307d44fab2ccab48cf22c536d7e, maker, caller(), calldataload(add(order, 0x20)))
                let writer := caller()
                let holder := maker
                if makerSelling {
                    writer := maker
                    holder := caller()
                }
                mstore(0, shl(224, 0x23b872dd))
                mstore(4, holder)
                mstore(0x24, writer)
                mstore(0x44, premium)
                require(and(eq(mload(0), 1), call(gas(), loadimmutable("stablecoin"), 0, 0, 0x64, 0, 0x20)))
                mstore(0, 0x19a3a91d)
                mstore(0x20, writer)
                mstore(0x40, writer)
                mstore(0x60, holder)
                mstore(0x80, calldataload(add(order, 0x20)))
                mstore(0xa0, amount)
                require(call(gas(), loadimmutable("core"), 0, 0x1c, 0xa4, 0, 0x20))
                require(iszero(gt(premium, mload(0))))
            }
            function useNonce(maker, nonce) {
                mstore(0, maker)
                mstore(0x20, shr(8, nonce))
                let slot := keccak256(0, 0x40)
                let bit := shl(and(nonce, 0xff), 1)
                let used := sload(slot)
                require(iszero(and(used, bit)))
                sstore(slot, or(used, bit))
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
