// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Signatures
/// @notice This library checks signatures of keys and contracts, for core and settlement alike.
library Signatures {
    /// @notice Checks whether an account signed. The key comes first: an account that delegates its code (EIP-7702) still signs
    /// by its key. A contract's own check (ERC-1271) follows. An address without code returns nothing, which is not an approval.
    /// @param account Account that should have signed.
    /// @param digest Digest that was signed.
    /// @param signature Signature.
    /// @return isSigned Whether `account` signed `digest`.
    /// @return recovered Key that signed; zero for a malformed signature, which never counts for the zero address.
    function check(address account, bytes32 digest, bytes calldata signature)
        internal
        view
        returns (bool isSigned, address recovered)
    {
        ECDSA.RecoverError err;
        (recovered, err,) = ECDSA.tryRecoverCalldata(digest, signature);
        isSigned = err == ECDSA.RecoverError.NoError && recovered == account
            || SignatureChecker.isValidERC1271SignatureNowCalldata(account, digest, signature);
    }
}
