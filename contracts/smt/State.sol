// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {FixingWord} from "../src/FixingWord.sol";
import {IRoles} from "../src/IRoles.sol";
import {SeriesWord} from "../src/SeriesWord.sol";

/// @title State
/// @notice What the functions of the core read and write, of any content. The stablecoin moves exactly what it is asked to, and the
/// token of the options is a mapping: these two, and signatures, are assumed and not proven.
abstract contract State {
    struct Exposure {
        uint128 owed;
        uint64 cap;
    }

    struct Proposal {
        address account;
        uint64 acceptableAt;
    }

    address internal settlement;
    address internal owner;
    address internal _guardian;
    address internal conditionalTokens;
    address internal resolutionSigner;
    uint64 internal signerVacantSince;
    uint32 internal signerTerm;
    uint64 internal DISPUTE_WINDOW;
    uint64 internal TRADING_CUTOFF;

    mapping(uint256 => SeriesWord) internal _series;
    mapping(uint256 => FixingWord) internal _fixings;
    mapping(uint256 => Exposure) internal _exposures;
    mapping(uint256 => mapping(address => uint256)) internal _shorts;
    mapping(address => mapping(uint256 => uint256)) internal _longs;
    mapping(uint32 => uint64) internal termRevokedAt;
    mapping(IRoles.Role => Proposal) internal _proposals;
    mapping(address => bool) internal wasSignerRevoked;
    mapping(uint256 => mapping(uint256 => uint256)) internal _payoffs;
    mapping(bytes32 => bool) internal _isSigned;
    uint256 internal _reported;

    /// @dev In place of the time of the block, which a proof lets pass.
    uint256 internal _time;

    uint256 internal _received;
    uint256 internal _paid;
    address internal _recipient;

    modifier onlyOwner() {
        require(msg.sender == owner);
        _;
    }

    function _transferFrom(address payer, address to, uint256 amount) internal {
        require(payer != address(this) && to == address(this));
        _received += amount;
    }

    function _transfer(address to, uint256 amount) internal {
        _paid += amount;
        _recipient = to;
    }

    function _useNonce(address) internal pure returns (uint256) {
        return 0;
    }

    function hashShortTransfer(address, address, uint256, uint256, uint256, uint256) internal pure returns (bytes32) {
        return bytes32(0);
    }

    function hashAttestation(uint256, uint16, uint256) internal pure returns (bytes32) {
        return bytes32(0);
    }

    function _check(address account, bytes32 digest, bytes memory) internal view returns (bool, address) {
        return (_isSigned[digest], account);
    }

    /// @dev The payoff of an option is within its collateral, as PayoffProofs shows; nothing else is asked of it here.
    function _payoffAt(SeriesWord series, uint256 resolutionBps) internal view returns (uint256 each) {
        each = _payoffs[SeriesWord.unwrap(series)][resolutionBps];
        require(each <= series.maxPayoff());
    }

    function balanceOf(address account, uint256 id) internal view returns (uint256) {
        return _longs[account][id];
    }

    function _mint(address to, uint256 id, uint256 amount, bytes memory) internal {
        require(to != address(0));
        _longs[to][id] += amount;
    }

    function _burn(address from, uint256 id, uint256 amount) internal {
        require(from != address(0) && _longs[from][id] >= amount);
        unchecked {
            _longs[from][id] -= amount;
        }
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes memory) internal {
        require(from != address(0) && to != address(0) && _longs[from][id] >= amount);
        unchecked {
            _longs[from][id] -= amount;
        }
        _longs[to][id] += amount;
    }
}
