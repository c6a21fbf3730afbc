// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IPermit2
/// @notice Permit2 has the address 0x000000000022D473030F116dDEE9F6B43aC78BA3 on every chain; anyone can deploy it. This is the
/// part of its SignatureTransfer that the settlement contract uses.
interface IPermit2 {
    /// @notice The owner signs for at most this amount of a token.
    /// @param token Token to transfer.
    /// @param amount Largest amount.
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    /// @notice The owner signs this, together with the caller.
    /// @param permitted Token and largest amount.
    /// @param nonce Nonce of the owner, used once.
    /// @param deadline Unix seconds until which the signature counts.
    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    /// @notice The caller chooses recipient and amount.
    /// @param to Recipient.
    /// @param requestedAmount Amount to transfer, at most the permitted one.
    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    /// @notice Transfers what `owner`, a key or a contract (ERC-1271), has signed for the caller.
    /// @param permit Permit that the owner signed.
    /// @param transferDetails Recipient and amount.
    /// @param owner Account that pays.
    /// @param signature Signature of the owner.
    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes calldata signature
    ) external;
}

/// @title IERC3009
/// @notice Some stablecoins have transfers by signature (EIP-3009). This is the part that the settlement contract uses.
interface IERC3009 {
    /// @notice Transfers what `from` has signed for the caller, which must be `to`.
    /// @param from Account that pays.
    /// @param to Recipient and caller.
    /// @param value Amount.
    /// @param validAfter Unix seconds after which the signature counts.
    /// @param validBefore Unix seconds before which it counts.
    /// @param nonce Nonce of the payer, used once.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
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
