// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";

/// @title DeploymentFactory
/// @notice The factory creates one core and its settlement contract, for one deployer, from one code. It is itself created by the
/// deterministic deployment proxy (CREATE2), so that its address, and with it those of the two, follows from a salt, the deployer and
/// the code alone: both are the same on each chain, whatever stablecoin, roles and windows are chosen there. Once it has created them
/// it does nothing more, and it has no right in either of them at any time.
contract DeploymentFactory {
    /// @notice Only this account has the contracts created.
    address public immutable deployer;

    /// @notice Hash of the core's creation code, without arguments.
    bytes32 public immutable coreCodeHash;

    /// @notice Hash of the settlement contract's creation code, without arguments.
    bytes32 public immutable settlementCodeHash;

    /// @notice Core that was created, which names its settlement contract; zero before.
    address public core;

    /// @notice Someone else than the deployer calls.
    /// @param caller Who it is.
    error NotDeployer(address caller);

    /// @notice The contracts were created before.
    /// @param core Their core.
    error AlreadyDeployed(address core);

    /// @notice Code was passed that is not the one that this factory is for.
    /// @param found Hash of the code.
    /// @param expected Hash that it must have.
    error CodeMismatch(bytes32 found, bytes32 expected);

    /// @notice A constructor gave no address and no reason.
    error CreationFailed();

    /// @notice Fixes the deployer and the code, which never change.
    /// @param deployer_ Only account that has the contracts created.
    /// @param coreCodeHash_ Hash of the core's creation code, without arguments.
    /// @param settlementCodeHash_ Hash of the settlement contract's creation code, without arguments.
    constructor(address deployer_, bytes32 coreCodeHash_, bytes32 settlementCodeHash_) {
        deployer = deployer_;
        coreCodeHash = coreCodeHash_;
        settlementCodeHash = settlementCodeHash_;
    }

    /// @notice Creates the core and then its settlement contract, once; the deployer alone may call. Where one of them fails, neither is
    /// created, and the reason is passed on.
    /// @param coreCode Creation code of the core, without arguments.
    /// @param setup What the core is created with; `settlement` is the second address that this contract creates.
    /// @param settlementCode Creation code of the settlement contract, without arguments.
    function deploy(bytes calldata coreCode, IServiceCore.Setup calldata setup, bytes calldata settlementCode)
        external
    {
        if (msg.sender != deployer) revert NotDeployer(msg.sender);
        if (core != address(0)) revert AlreadyDeployed(core);
        core = _create(coreCode, coreCodeHash, abi.encode(setup));
        _create(settlementCode, settlementCodeHash, abi.encode(core));
    }

    function _create(bytes calldata code, bytes32 expected, bytes memory arguments) private returns (address created) {
        bytes32 found = keccak256(code);
        if (found != expected) revert CodeMismatch(found, expected);
        bytes memory initCode = bytes.concat(code, arguments);
        assembly ("memory-safe") {
            created := create(0, add(initCode, 0x20), mload(initCode))
            if and(iszero(created), gt(returndatasize(), 0)) {
                let reason := mload(0x40)
                returndatacopy(reason, 0, returndatasize())
                revert(reason, returndatasize())
            }
        }
        if (created == address(0)) revert CreationFailed();
    }
}
