// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC3009, IPermit2} from "./IPayments.sol";
import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title TakerPayments
/// @notice A taker pays by an existing allowance, by one signed beside the fill (EIP-2612), or by a transfer signed for this
/// contract (EIP-3009, Permit2), which keeps none of it.
abstract contract TakerPayments is IServiceRFQSettlement {
    using SafeERC20 for IERC20;

    IPermit2 private constant PERMIT2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    IERC20 internal immutable _stablecoin;

    /// @notice Fixes the stablecoin.
    /// @param stablecoin_ The stablecoin of the core, in which takers pay.
    constructor(address stablecoin_) {
        _stablecoin = IERC20(stablecoin_);
    }

    /// @return payer The taker, by its allowance to `spender`, or this contract, which has drawn the sum due.
    function _fund(Payment calldata payment, address taker, address spender, uint256 due)
        internal
        returns (address payer)
    {
        PaymentMethod method = payment.method;
        if (method == PaymentMethod.Allowance) return taker;
        if (method == PaymentMethod.Permit) {
            (uint8 v, bytes32 r, bytes32 s) = _split(payment.signature);
            _tryPermit(taker, spender, Permit(payment.value, payment.deadline, v, r, s));
            return taker;
        }
        if (method == PaymentMethod.Authorization) {
            if (payment.value != due) revert PaymentMismatch(payment.value, due);
            (uint8 v, bytes32 r, bytes32 s) = _split(payment.signature);
            IERC3009(address(_stablecoin))
                .receiveWithAuthorization(
                    taker, address(this), due, 0, payment.deadline, bytes32(payment.nonce), v, r, s
                );
        } else {
            PERMIT2.permitTransferFrom(
                IPermit2.PermitTransferFrom(
                    IPermit2.TokenPermissions(address(_stablecoin), payment.value), payment.nonce, payment.deadline
                ),
                IPermit2.SignatureTransferDetails(address(this), due),
                taker,
                payment.signature
            );
        }
        return address(this);
    }

    /// @dev A refused permit does not revert: the transfers fail if the allowance is missing.
    function _tryPermit(address owner, address spender, Permit memory permit) internal {
        try IERC20Permit(address(_stablecoin))
            .permit(owner, spender, permit.value, permit.deadline, permit.v, permit.r, permit.s) {}
            catch {}
    }

    function _pay(address payer, address to, uint256 amount) internal {
        if (payer == address(this)) _stablecoin.safeTransfer(to, amount);
        else _stablecoin.safeTransferFrom(payer, to, amount);
    }

    /// @dev A signature of another length becomes v = 0, which the token refuses.
    function _split(bytes calldata signature) private pure returns (uint8 v, bytes32 r, bytes32 s) {
        if (signature.length == 65) {
            (r, s, v) = (bytes32(signature[:32]), bytes32(signature[32:64]), uint8(signature[64]));
        }
    }
}
