// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord, FixingWords} from "../src/FixingWord.sol";

/// @title FixingWordProofs
/// @notice Each function that returns a changed fixing changes its own bits, and reads back what was written. A function here is a
/// property: it holds if no argument that passes its `require`s breaks an `assert`.
contract FixingWordProofs {
    function create(uint40 expiry, bool isSecond) external pure {
        FixingWord word = FixingWords.create(expiry, isSecond);
        assert(uint40(FixingWord.unwrap(word)) == expiry);
        assert(word.outcome() == (isSecond ? 1 : 0));
        assert(!word.hasPrice() && !word.isFinal() && !word.isVetoed() && !word.isManualVetoed());
        assert(word.resolutionBps() == 0 && word.signerTerm() == 0 && word.manualBps() == 0 && word.manualAt() == 0);
    }

    function withPrice(FixingWord word, uint8 resolution, uint40 finalAt, uint32 term, bool isFinal) external pure {
        FixingWord changed = word.withPrice(resolution, finalAt, term, isFinal);
        assert(changed.resolutionBps() == resolution && changed.finalAt() == finalAt && changed.signerTerm() == term);
        assert(changed.hasPrice() == (finalAt != 0));
        assert(changed.isFinal() == (isFinal || word.isFinal()));
        assert(changed.manualBps() == 0 && changed.manualAt() == 0);
        assert(_isSameTerms(word, changed));
        assert(changed.isVetoed() == word.isVetoed() && changed.isManualVetoed() == word.isManualVetoed());
        assert(_high(word) == _high(changed));
    }

    function withFinal(FixingWord word) external pure {
        FixingWord changed = word.withFinal();
        assert(changed.isFinal());
        assert(_isSamePrice(word, changed) && _isSameManual(word, changed) && _isSameTerms(word, changed));
        assert(changed.isVetoed() == word.isVetoed() && changed.isManualVetoed() == word.isManualVetoed());
        assert(_high(word) == _high(changed));
    }

    function withVeto(FixingWord word) external pure {
        FixingWord changed = word.withVeto();
        assert(changed.isVetoed() && !changed.hasPrice());
        assert(changed.resolutionBps() == 0 && changed.signerTerm() == 0);
        assert(_isSameManual(word, changed) && _isSameTerms(word, changed));
        assert(changed.isFinal() == word.isFinal() && changed.isManualVetoed() == word.isManualVetoed());
        assert(_high(word) == _high(changed));
    }

    function withManual(FixingWord word, uint8 resolution, uint40 executableAt) external pure {
        FixingWord changed = word.withManual(resolution, executableAt);
        assert(changed.manualBps() == resolution && changed.manualAt() == executableAt);
        assert(_isSamePrice(word, changed) && _isSameTerms(word, changed) && _isSameFlags(word, changed));
        assert(_high(word) == _high(changed));
    }

    function withManualVeto(FixingWord word) external pure {
        FixingWord changed = word.withManualVeto();
        assert(changed.isManualVetoed() && changed.manualAt() == 0 && changed.manualBps() == 0);
        assert(_isSamePrice(word, changed) && _isSameTerms(word, changed));
        assert(changed.isFinal() == word.isFinal() && changed.isVetoed() == word.isVetoed());
        assert(_high(word) == _high(changed));
    }

    function _isSamePrice(FixingWord a, FixingWord b) private pure returns (bool) {
        return a.resolutionBps() == b.resolutionBps() && a.finalAt() == b.finalAt() && a.signerTerm() == b.signerTerm();
    }

    function _isSameManual(FixingWord a, FixingWord b) private pure returns (bool) {
        return a.manualBps() == b.manualBps() && a.manualAt() == b.manualAt();
    }

    function _isSameTerms(FixingWord a, FixingWord b) private pure returns (bool) {
        return uint40(FixingWord.unwrap(a)) == uint40(FixingWord.unwrap(b)) && a.outcome() == b.outcome();
    }

    function _isSameFlags(FixingWord a, FixingWord b) private pure returns (bool) {
        return a.isFinal() == b.isFinal() && a.isVetoed() == b.isVetoed() && a.isManualVetoed() == b.isManualVetoed();
    }

    /// @dev Bits that no field has: the four spare flags, and those above.
    function _high(FixingWord word) private pure returns (uint256) {
        return (FixingWord.unwrap(word) >> 176) << 4 | (FixingWord.unwrap(word) >> 44 & 0xf);
    }
}
