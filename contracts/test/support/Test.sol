// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Vm} from "./Vm.sol";

/// @title Test
/// @notice Every Solidity test has these helpers.
abstract contract Test {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev Folds any number into min..max, both included.
    function bound(uint256 x, uint256 min, uint256 max) internal pure returns (uint256) {
        require(min <= max, "bound: min above max");
        if (x >= min && x <= max) return x;
        uint256 size = max - min + 1;
        return size == 0 ? x : min + x % size;
    }

    /// @dev Creates a contract from bytecode and constructor arguments, passing its revert on.
    function create(bytes memory code, bytes memory arguments) internal returns (address created) {
        bytes memory initCode = bytes.concat(code, arguments);
        assembly ("memory-safe") {
            created := create(0, add(initCode, 0x20), mload(initCode))
            if iszero(created) {
                let reason := mload(0x40)
                returndatacopy(reason, 0, returndatasize())
                revert(reason, returndatasize())
            }
        }
    }

    /// @dev The creation code of a deployed contract: the committed artifact, or what `CONTRACTS` names instead (a
    /// folder with a mutant's artifacts, or `src` to have forge compile it, for coverage).
    function codeOf(string memory name) internal view returns (bytes memory) {
        string memory from = vm.envOr("CONTRACTS", "contracts/artifacts");
        if (keccak256(bytes(from)) == keccak256("src")) return vm.getCode(string.concat(name, ".sol:", name));
        return vm.getCode(string.concat(from, "/", name, ".json"));
    }
}
