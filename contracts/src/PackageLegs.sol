// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "./OptionMath.sol";

/// @title PackageLegs
/// @notice The legs of a package share one word. Leg i is in bits 32 x i to 32 x i + 31: quantity (int8), option type (uint8),
/// strikeBps (uint16), from the high end. All legs have one market and expiry, so that one resolution prices all of them.
/// Storage has them packed, in 18 bits each: sign of the quantity, its size less 1 (2 bits), option type, strikeBps (14 bits).
library PackageLegs {
    /// @dev Kind of a series, besides `OptionMath.CALL` and `PUT`.
    uint8 internal constant PACKAGE = 2;

    uint256 private constant MAX_QUANTITY = 4;

    uint256 private constant PACKED_BITS = 18;
    uint256 private constant PACKED_TYPE_AT = 14;
    uint256 private constant PACKED_SIZE_AT = 15;
    uint256 private constant PACKED_SIGN = 1 << 17;
    uint256 private constant PACKED_STRIKE = (1 << PACKED_TYPE_AT) - 1;

    /// @notice Legs in normal form are two to four, no option twice, in ascending order of type and strike, with quantities of -4
    /// to 4 that have no common divisor: a package has one form, and therefore one id.
    /// @param legs Legs to check.
    /// @return Whether they are in normal form.
    function isNormal(uint256 legs) internal pure returns (bool) {
        if (legs >> 32 == 0 || legs >> 128 != 0) return false;
        uint256 last;
        uint256 divisor;
        unchecked {
            for (; legs != 0; legs >>= 32) {
                int256 quantity = int8(uint8(legs >> 24));
                uint256 size = uint256(quantity < 0 ? -quantity : quantity);
                uint256 option = uint24(legs);
                if (size == 0 || size > MAX_QUANTITY || option <= last) return false;
                last = option;
                while (size != 0) (divisor, size) = (size, divisor % size);
            }
        }
        return divisor == 1;
    }

    /// @notice The legs are worth this together, at most 4 x 4 x $1 either way.
    /// @param legs Legs in normal form.
    /// @param resolutionBps Price in hundredths of $1, 0..100.
    /// @return value Micro-dollars.
    function valueAt(uint256 legs, uint256 resolutionBps) internal pure returns (int256 value) {
        unchecked {
            for (; legs != 0; legs >>= 32) {
                uint256 payoff = OptionMath.payoff(uint8(legs >> 16), uint16(legs), resolutionBps);
                value += int8(uint8(legs >> 24)) * int256(payoff);
            }
        }
    }

    /// @notice The value of the legs is a straight line between two strikes, so that its bounds are reached at 0, at 100 or at a
    /// resolution next to a strike.
    /// @param legs Legs in normal form.
    /// @return floor The least that the legs can be worth together, in micro-dollars.
    /// @return most The most that they can be worth together, in micro-dollars.
    function boundsOf(uint256 legs) internal pure returns (int256 floor, int256 most) {
        floor = most = valueAt(legs, 0);
        (floor, most) = _including(floor, most, valueAt(legs, OptionMath.RESOLUTION_ONE));
        for (uint256 rest = legs; rest != 0; rest >>= 32) {
            uint256 below = uint16(rest) * OptionMath.RESOLUTION_ONE / OptionMath.STRIKE_ONE;
            (floor, most) = _including(floor, most, valueAt(legs, below));
            (floor, most) = _including(floor, most, valueAt(legs, below + 1));
        }
    }

    /// @param legs Legs in normal form, or one leg of quantity 1.
    /// @return packed The same legs, in 72 bits.
    function pack(uint256 legs) internal pure returns (uint256 packed) {
        unchecked {
            for (uint256 place = 0; legs != 0; (legs, place) = (legs >> 32, place + PACKED_BITS)) {
                int256 quantity = int8(uint8(legs >> 24));
                uint256 size = uint256(quantity < 0 ? -quantity : quantity);
                uint256 leg = one(uint8(legs >> 16), uint16(legs)) | (size - 1) << PACKED_SIZE_AT;
                if (quantity < 0) leg |= PACKED_SIGN;
                packed |= leg << place;
            }
        }
    }

    /// @param packed Legs as `pack` returned them.
    /// @return legs The same legs, in 32 bits each.
    function unpack(uint256 packed) internal pure returns (uint256 legs) {
        unchecked {
            for (uint256 place = 0; packed != 0; (packed, place) = (packed >> PACKED_BITS, place + 32)) {
                uint256 size = (packed >> PACKED_SIZE_AT & 3) + 1;
                uint256 quantity = packed & PACKED_SIGN == 0 ? size : 256 - size;
                legs |= (quantity << 24 | uint256(optionTypeOf(packed)) << 16 | strikeOf(packed)) << place;
            }
        }
    }

    /// @return packed One leg of quantity 1.
    function one(uint8 optionType, uint16 strikeBps) internal pure returns (uint256 packed) {
        return uint256(optionType) << PACKED_TYPE_AT | strikeBps;
    }

    /// @return Whether the packed legs are one, as those of a call or put are.
    function isOne(uint256 packed) internal pure returns (bool) {
        return packed >> PACKED_BITS == 0;
    }

    /// @return Option type of the first packed leg.
    function optionTypeOf(uint256 packed) internal pure returns (uint8) {
        return uint8(packed >> PACKED_TYPE_AT & 1);
    }

    /// @return Strike of the first packed leg, in ten-thousandths of $1.
    function strikeOf(uint256 packed) internal pure returns (uint16) {
        return uint16(packed & PACKED_STRIKE);
    }

    function _including(int256 floor, int256 most, int256 value) private pure returns (int256, int256) {
        return (value < floor ? value : floor, value > most ? value : most);
    }
}
