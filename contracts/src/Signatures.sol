// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title Whether an account signed
library Signatures {
    /// @notice Key first: an account that delegates its code (EIP-7702) still signs by its key. Then a contract's own
    /// check (ERC-1271). An address without code answers that with nothing, which is not a yes.
    /// @return isSigned Whether `account` signed `digest`.
    /// @return recovered The key that did; zero for a malformed signature, which is never the zero address's.
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
