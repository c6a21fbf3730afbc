// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../src/OptionMath.sol";
import {PackageLegs} from "../src/PackageLegs.sol";

/// @title LegsProofs
/// @notice Loops over legs are unrolled five times; legs here have at most 128 bits, so that none runs longer than four.
contract LegsProofs {
    /// @dev Unused legs are zero, and come last.
    function packsAndUnpacks(uint128 legs) external pure {
        require(_isLeg(uint32(legs)));
        require(legs >> 32 == 0 || _isLeg(uint32(legs >> 32)));
        require(legs >> 64 == 0 || (_isLeg(uint32(legs >> 32)) && _isLeg(uint32(legs >> 64))));
        require(legs >> 96 == 0 || (_isLeg(uint32(legs >> 64)) && _isLeg(uint32(legs >> 96))));
        uint256 packed = PackageLegs.pack(legs);
        assert(packed >> 72 == 0);
        assert(PackageLegs.unpack(packed) == legs);
        assert(PackageLegs.isOne(packed) == (legs >> 32 == 0));
    }

    function boundsOfTwoLegs(
        int8 quantity0,
        uint8 type0,
        uint16 strike0,
        int8 quantity1,
        uint8 type1,
        uint16 strike1,
        uint8 r
    ) external pure {
        require(r <= 100);
        uint256 legs = _leg(quantity0, type0, strike0) | _leg(quantity1, type1, strike1) << 32;
        (int256 floor, int256 most) = PackageLegs.boundsOf(legs);
        int256 value = PackageLegs.valueAt(legs, r);
        assert(floor <= value);
        assert(value <= most);
    }

    function _leg(int8 quantity, uint8 optionType, uint16 strikeBps) private pure returns (uint256) {
        require(quantity >= -4 && quantity <= 4 && quantity != 0);
        require(optionType <= OptionMath.PUT && strikeBps > 0 && strikeBps < 10_000);
        return uint256(uint8(quantity)) << 24 | uint256(optionType) << 16 | strikeBps;
    }

    function _isLeg(uint32 leg) private pure returns (bool) {
        uint256 size = _size(leg);
        return size >= 1 && size <= 4 && uint8(leg >> 16) <= 1 && uint16(leg) >= 1 && uint16(leg) < 10_000;
    }

    function _size(uint32 leg) private pure returns (uint256) {
        int256 quantity = int8(uint8(leg >> 24));
        return uint256(quantity < 0 ? -quantity : quantity);
    }
}
