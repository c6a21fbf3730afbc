// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../../src/OptionMath.sol";
import {World} from "../support/World.sol";

/// @title EveryPayoffTest
/// @notice Solidity, TypeScript and claims pay the same for every strike and resolution (fault G14).
contract EveryPayoffTest is World {
    /// @dev This is the hash of every payoff; test/protocol/domain/every-payoff.test.ts computes the same hash with the relay's own code.
    bytes32 private constant EVERY_PAYOFF = 0xac93640205fd62e4a008e29a6aa7af6fb8096a574a873eec0830f97495045379;

    uint256 private constant AMOUNT = 7;

    function test_every_payoff_is_the_relays() external pure {
        bytes32 hash;
        bytes memory row = new bytes(101 * 2 * 4);
        for (uint256 strike = 1; strike < 10_000; ++strike) {
            for (uint256 resolution = 0; resolution <= 100; ++resolution) {
                uint256 both =
                    (OptionMath.payoff(0, strike, resolution) << 32) | OptionMath.payoff(1, strike, resolution);
                assembly ("memory-safe") {
                    let place := add(add(row, 0x20), mul(resolution, 8))
                    mstore(place, or(shl(192, both), and(mload(place), shr(64, not(0)))))
                }
            }
            hash = keccak256(bytes.concat(hash, row));
        }
        vm.assertEq(hash, EVERY_PAYOFF, "the hash of every payoff");
    }

    function test_claims_pay_the_payoff_at_every_resolution() external {
        uint16[8] memory strikes = [uint16(1), 99, 100, 3333, 4500, 5000, 9900, 9999];
        uint256 nonce;
        for (uint256 i = 0; i < strikes.length; ++i) {
            for (uint16 resolution = 0; resolution <= 100; ++resolution) {
                claimBoth(strikes[i], 0, resolution, nonce++);
                claimBoth(strikes[i], 1, resolution, nonce++);
            }
        }
        vm.assertEq(usd.balanceOf(address(core)), 0, "left in the core");
    }

    /// @dev A life of one trade: its holder gets the payoff, its writer the rest, and nothing stays.
    function claimBoth(uint16 strike, uint8 optionType, uint16 resolution, uint256 nonce) private {
        vm.warp(START);
        vm.prank(owner);
        uint256 id = core.createSeries(bytes32(nonce), nonce, address(0), strike, EXPIRY, optionType);
        trade(id, AMOUNT, nonce);
        settle(id, resolution);
        uint256 each = OptionMath.payoff(optionType, strike, resolution);
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(id, AMOUNT), AMOUNT * each, "payout");
        uint256 rest = OptionMath.maxPayoff(optionType, strike) - each;
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(id), AMOUNT * rest, "collateral");
    }
}
