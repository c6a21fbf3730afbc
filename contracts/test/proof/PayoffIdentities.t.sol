// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../../src/OptionMath.sol";
import {Test} from "../support/Test.sol";

/// @title PayoffIdentitiesTest
/// @notice The payoff identities hold for every strike, resolution and type.
contract PayoffIdentitiesTest is Test {
    function test_both_sides_share_exactly_the_collateral() external pure {
        unchecked {
            for (uint256 strike = 1; strike < 10_000; ++strike) {
                uint256 callMost = OptionMath.maxPayoff(0, strike);
                uint256 putMost = OptionMath.maxPayoff(1, strike);
                require(callMost + putMost == 1_000_000, "a call and a put of one strike lock a dollar");
                require(callMost >= 100 && putMost >= 100, "each locks something");

                uint256 callBefore = 0;
                uint256 putBefore = putMost;
                for (uint256 resolution = 0; resolution <= 100; ++resolution) {
                    uint256 call = OptionMath.payoff(0, strike, resolution);
                    uint256 put = OptionMath.payoff(1, strike, resolution);
                    require(call <= callMost && put <= putMost, "no option pays more than was locked for it");
                    require(call == 0 || put == 0, "not both pay");
                    require(call + strike * 100 == put + resolution * 10_000, "call - put = price - strike");
                    require(call % 100 == 0 && put % 100 == 0, "nothing is rounded");
                    require(call >= callBefore && put <= putBefore, "calls rise and puts fall with the price");
                    callBefore = call;
                    putBefore = put;
                }
                require(callBefore == callMost, "a call at $1 pays all");
                require(OptionMath.payoff(1, strike, 0) == putMost, "a put at $0 pays all");
            }
        }
    }
}
