// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A fixing is the one price of a market (condition and token) at an expiry, for all its series. It is one storage word,
/// from the low end: expiry 40 bits, flags 8, resolutionBps 8, finalAt 40, signerTerm 32, manualBps 8, manualAt 40. The word is never
/// zero once it exists, so that a price takes no new slot. It has a price when `finalAt` is not zero.
type FixingWord is uint256;

using FixingWords for FixingWord global;

/// @title FixingWords
/// @notice These functions read a FixingWord and return changed ones.
library FixingWords {
    uint256 private constant FINAL = 1 << 40;
    uint256 private constant VETOED = 1 << 41;
    uint256 private constant MANUAL_VETOED = 1 << 42;
    uint256 private constant SECOND_OUTCOME = 1 << 43;
    uint256 private constant RESOLUTION_AT = 48;
    uint256 private constant FINAL_AT = 56;
    uint256 private constant SIGNER_TERM_AT = 96;
    uint256 private constant MANUAL_BPS_AT = 128;
    uint256 private constant MANUAL_AT = 136;

    /// @dev A price sets resolutionBps, finalAt, signerTerm and perhaps FINAL.
    uint256 private constant PRICE =
        0xff << RESOLUTION_AT | uint256(type(uint40).max) << FINAL_AT | uint256(type(uint32).max) << SIGNER_TERM_AT;
    uint256 private constant MANUAL = 0xff << MANUAL_BPS_AT | uint256(type(uint40).max) << MANUAL_AT;

    /// @param isSecondOutcome Whether the token is the condition's second outcome.
    function create(uint64 expiry, bool isSecondOutcome) internal pure returns (FixingWord) {
        return FixingWord.wrap(expiry | (isSecondOutcome ? SECOND_OUTCOME : 0));
    }

    /// @return Whether there is a price, final or not.
    function hasPrice(FixingWord word) internal pure returns (bool) {
        return finalAt(word) != 0;
    }

    /// @return Whether the price was found to be final: nothing changes it from then on.
    function isFinal(FixingWord word) internal pure returns (bool) {
        return FixingWord.unwrap(word) & FINAL != 0;
    }

    /// @return Whether an attested price was vetoed, so that attestations are refused.
    function isVetoed(FixingWord word) internal pure returns (bool) {
        return FixingWord.unwrap(word) & VETOED != 0;
    }

    /// @return Whether an announced price was vetoed.
    function isManualVetoed(FixingWord word) internal pure returns (bool) {
        return FixingWord.unwrap(word) & MANUAL_VETOED != 0;
    }

    /// @return Index of the token's outcome in its condition; meaningful where the pair was checked.
    function outcome(FixingWord word) internal pure returns (uint256) {
        return FixingWord.unwrap(word) & SECOND_OUTCOME != 0 ? 1 : 0;
    }

    function resolutionBps(FixingWord word) internal pure returns (uint8) {
        return uint8(FixingWord.unwrap(word) >> RESOLUTION_AT);
    }

    /// @return Unix seconds from which the price is final; 0 without a price.
    function finalAt(FixingWord word) internal pure returns (uint40) {
        return uint40(FixingWord.unwrap(word) >> FINAL_AT);
    }

    /// @return Number of the signer's term in which the price was attested; 0 where no signer did.
    function signerTerm(FixingWord word) internal pure returns (uint32) {
        return uint32(FixingWord.unwrap(word) >> SIGNER_TERM_AT);
    }

    /// @return The announced price, in hundredths of $1.
    function manualBps(FixingWord word) internal pure returns (uint8) {
        return uint8(FixingWord.unwrap(word) >> MANUAL_BPS_AT);
    }

    /// @return Unix seconds from which the announced price can be executed; 0 without one.
    function manualAt(FixingWord word) internal pure returns (uint40) {
        return uint40(FixingWord.unwrap(word) >> MANUAL_AT);
    }

    /// @dev The caller has checked that no price counts, and that the resolution is at most 100. A price that a revocation voided
    /// is replaced. An announcement ends: else the owner could revoke the signer and execute it before the guardian can veto it.
    /// @param term Number of the signer's term; 0 where no signer attested.
    /// @param isFinal_ Whether the price is final at once.
    function withPrice(FixingWord word, uint16 resolution, uint256 finalAt_, uint32 term, bool isFinal_)
        internal
        pure
        returns (FixingWord)
    {
        return FixingWord.wrap(
            FixingWord.unwrap(word) & ~(PRICE | MANUAL) | uint256(resolution) << RESOLUTION_AT | finalAt_ << FINAL_AT
                | uint256(term) << SIGNER_TERM_AT | (isFinal_ ? FINAL : 0)
        );
    }

    /// @dev The caller has checked that the price can no longer be voided.
    function withFinal(FixingWord word) internal pure returns (FixingWord) {
        return FixingWord.wrap(FixingWord.unwrap(word) | FINAL);
    }

    /// @return The word without its price, and with attestations refused.
    function withVeto(FixingWord word) internal pure returns (FixingWord) {
        return FixingWord.wrap(FixingWord.unwrap(word) & ~PRICE | VETOED);
    }

    /// @param executableAt Unix seconds.
    function withManual(FixingWord word, uint16 resolution, uint64 executableAt) internal pure returns (FixingWord) {
        return FixingWord.wrap(
            FixingWord.unwrap(word) & ~MANUAL | uint256(resolution) << MANUAL_BPS_AT | uint256(executableAt)
                << MANUAL_AT
        );
    }

    /// @return The word without its announced price.
    function withManualVeto(FixingWord word) internal pure returns (FixingWord) {
        return FixingWord.wrap(FixingWord.unwrap(word) & ~MANUAL | MANUAL_VETOED);
    }
}
