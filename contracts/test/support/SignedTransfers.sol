// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPayments.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title DollarByAuthorization
/// @notice This test dollar has EIP-3009 transfers.
contract DollarByAuthorization is TestUSD {
    bytes32 private constant TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );

    mapping(address from => mapping(bytes32 nonce => bool)) public isUsed;

    error NotReceiver();
    error OutOfTime();
    error NonceUsed();
    error NotSigned();

    constructor() TestUSD(msg.sender, msg.sender) {}

    function hashReceive(address from, address to, uint256 value, uint256 validBefore, bytes32 nonce)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(keccak256(abi.encode(TYPEHASH, from, to, value, 0, validBefore, nonce)));
    }

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (to != msg.sender) revert NotReceiver();
        if (block.timestamp <= validAfter || block.timestamp >= validBefore) revert OutOfTime();
        if (isUsed[from][nonce]) revert NonceUsed();
        address signer = ecrecover(hashReceive(from, to, value, validBefore, nonce), v, r, s);
        if (signer != from || signer == address(0)) revert NotSigned();
        isUsed[from][nonce] = true;
        _transfer(from, to, value);
    }
}

/// @title Permit2Double
/// @notice This double does what the SignatureTransfer of Permit2 does; the tests of wallets run the published contract.
contract Permit2Double is IPermit2, EIP712 {
    bytes32 private constant PERMISSIONS = keccak256("TokenPermissions(address token,uint256 amount)");
    bytes32 private constant TYPEHASH = keccak256(
        "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
    );

    mapping(address owner => mapping(uint256 nonce => bool)) public isUsed;

    error OutOfTime();
    error AmountAbovePermitted();
    error NonceUsed();
    error NotSigned();

    constructor() EIP712("Permit2", "1") {}

    function hashTransfer(PermitTransferFrom calldata permit, address spender) public view returns (bytes32) {
        bytes32 permitted = keccak256(abi.encode(PERMISSIONS, permit.permitted.token, permit.permitted.amount));
        return _hashTypedDataV4(keccak256(abi.encode(TYPEHASH, permitted, spender, permit.nonce, permit.deadline)));
    }

    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) revert OutOfTime();
        if (transferDetails.requestedAmount > permit.permitted.amount) revert AmountAbovePermitted();
        if (isUsed[owner][permit.nonce]) revert NonceUsed();
        if (!SignatureChecker.isValidSignatureNow(owner, hashTransfer(permit, msg.sender), signature)) {
            revert NotSigned();
        }
        isUsed[owner][permit.nonce] = true;
        require(IERC20(permit.permitted.token).transferFrom(owner, transferDetails.to, transferDetails.requestedAmount));
    }
}
