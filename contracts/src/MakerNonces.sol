// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";

/// @title MakerNonces
/// @notice A maker uses each of its nonces once. A nonce is one bit, 256 to a word: a maker that numbers its orders in sequence
/// pays for a new storage word once in 256 trades. No bit is ever cleared.
abstract contract MakerNonces is IServiceRFQSettlement {
    mapping(address maker => mapping(uint256 wordPos => uint256 bits)) private _nonces;

    /// @inheritdoc IServiceRFQSettlement
    function cancelNonce(uint256 nonce) external {
        _useNonce(msg.sender, nonce);
        emit NonceCancelled(msg.sender, nonce);
    }

    /// @inheritdoc IServiceRFQSettlement
    function cancelNonces(uint256 wordPos, uint256 mask) public {
        uint256 used = _nonces[msg.sender][wordPos];
        _nonces[msg.sender][wordPos] = used | mask;
        emit NoncesCancelled(msg.sender, wordPos, mask & ~used);
    }

    /// @inheritdoc IServiceRFQSettlement
    function cancelNonceRange(uint256 first, uint256 last) external {
        if (first > last) revert NonceRangeEmpty(first, last);
        uint256 lastWord = last >> 8;
        for (uint256 wordPos = first >> 8; wordPos <= lastWord; ++wordPos) {
            uint256 mask = type(uint256).max;
            if (wordPos == first >> 8) mask <<= first & 0xff;
            if (wordPos == lastWord) mask &= type(uint256).max >> (0xff - (last & 0xff));
            cancelNonces(wordPos, mask);
        }
    }

    /// @inheritdoc IServiceRFQSettlement
    function isNonceUsed(address maker, uint256 nonce) public view returns (bool) {
        return _nonces[maker][nonce >> 8] & (1 << (nonce & 0xff)) != 0;
    }

    function _useNonce(address maker, uint256 nonce) internal {
        uint256 bit = 1 << (nonce & 0xff);
        uint256 used = _nonces[maker][nonce >> 8];
        if (used & bit != 0) revert NonceUsed(maker, nonce);
        _nonces[maker][nonce >> 8] = used | bit;
    }
}
