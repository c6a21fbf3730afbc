// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Vm
/// @notice The tests use these cheatcodes of forge.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function accesses(address target) external returns (bytes32[] memory reads, bytes32[] memory writes);
    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(string calldata left, string calldata right, string calldata what) external pure;
    function assertTrue(bool condition, string calldata what) external pure;
    function assume(bool condition) external pure;
    function chainId(uint256 id) external;
    function computeCreateAddress(address deployer, uint256 nonce) external pure returns (address);
    function deal(address account, uint256 balance) external;
    function envOr(string calldata name, string calldata fallback_) external view returns (string memory);
    function envOr(string calldata name, uint256 fallback_) external view returns (uint256);
    function etch(address target, bytes calldata code) external;
    function expectCall(address callee, bytes calldata data, uint64 count) external;
    function expectEmit(address emitter) external;
    function expectRevert(bytes calldata reason) external;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function getNonce(address account) external view returns (uint64);
    function getRecordedLogs() external returns (Log[] memory);
    function load(address target, bytes32 slot) external view returns (bytes32);
    function parseBytes(string calldata hexText) external pure returns (bytes memory);
    function prank(address sender) external;
    function readLine(string calldata path) external view returns (string memory);
    function record() external;
    function recordLogs() external;
    function revertToState(uint256 id) external returns (bool);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signAndAttachDelegation(address implementation, uint256 key) external;
    function snapshotState() external returns (uint256 id);
    function store(address target, bytes32 slot, bytes32 value) external;
    function toString(bytes32 value) external pure returns (string memory);
    function toString(uint256 value) external pure returns (string memory);
    function warp(uint256 timestamp) external;
}
