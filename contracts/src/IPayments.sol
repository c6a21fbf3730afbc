// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What Permit2's SignatureTransfer offers, as far as it is used here
/// @notice Deployed by anyone to the same address of every chain, 0x000000000022D473030F116dDEE9F6B43aC78BA3.
interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// @notice Moves what `owner` has signed for the caller, key or contract (ERC-1271).
    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external;
}

/// @title EIP-3009 of a stablecoin, as far as it is used here
interface IERC3009 {
    /// @notice Moves what `from` has signed for the caller, which must be `to`.
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
    ) external;
}
