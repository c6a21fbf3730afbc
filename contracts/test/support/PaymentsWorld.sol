// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPermit2} from "../../src/IPayments.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {DollarByAuthorization, Permit2Double} from "./SignedTransfers.sol";
import {World} from "./World.sol";

/// @title PaymentsWorld
/// @notice This world has Permit2 and a dollar with permits and authorizations, and its taker has approved no one.
abstract contract PaymentsWorld is World {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    Permit2Double internal constant PERMIT2 = Permit2Double(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    address internal immutable submitter = address(0x5B7);
    address internal immutable feeRecipient = address(0xFEE);
    address internal immutable partner = address(0x9A27);

    DollarByAuthorization internal dollar;

    function setUp() public virtual override {
        super.setUp();
        dollar = new DollarByAuthorization();
        usd = TestUSD(address(dollar));
        (core, settlement) = deploy(address(usd));
        callId = createSeries(4500, EXPIRY, 0);
        putId = createSeries(4500, EXPIRY, 1);
        fund(maker);
        usd.mint(taker, FUNDS);
        vm.etch(address(PERMIT2), address(new Permit2Double()).code);
    }

    /// @dev Where the taker writes, so that it owes collateral.
    function writtenByTaker() internal view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        order.makerSelling = false;
    }

    function byAllowance() internal pure returns (IServiceRFQSettlement.Payment memory none) {}

    function byPermit(address spender, uint256 value) internal view returns (IServiceRFQSettlement.Payment memory) {
        bytes memory signature = sign(TAKER_KEY, hashPermit(taker, spender, value));
        return paymentOf(IServiceRFQSettlement.PaymentMethod.Permit, value, 0, START, signature);
    }

    /// @dev The signature counts until `START`.
    function hashPermit(address owner_, address spender, uint256 value) internal view returns (bytes32) {
        bytes32 inner = keccak256(abi.encode(PERMIT_TYPEHASH, owner_, spender, value, usd.nonces(owner_), START));
        return keccak256(abi.encodePacked(hex"1901", usd.DOMAIN_SEPARATOR(), inner));
    }

    function byAuthorization(uint256 value) internal view returns (IServiceRFQSettlement.Payment memory) {
        bytes32 digest = dollar.hashReceive(taker, address(settlement), value, START + 1, bytes32(uint256(7)));
        return
            paymentOf(IServiceRFQSettlement.PaymentMethod.Authorization, value, 7, START + 1, sign(TAKER_KEY, digest));
    }

    function byPermit2(uint256 value) internal view returns (IServiceRFQSettlement.Payment memory) {
        IPermit2.PermitTransferFrom memory permit =
            IPermit2.PermitTransferFrom(IPermit2.TokenPermissions(address(usd), value), 9, START);
        bytes memory signature = sign(TAKER_KEY, PERMIT2.hashTransfer(permit, address(settlement)));
        return paymentOf(IServiceRFQSettlement.PaymentMethod.Permit2, value, 9, START, signature);
    }

    function paymentOf(
        IServiceRFQSettlement.PaymentMethod method,
        uint256 value,
        uint256 nonce,
        uint256 deadline,
        bytes memory signature
    ) internal pure returns (IServiceRFQSettlement.Payment memory) {
        return IServiceRFQSettlement.Payment(method, value, nonce, deadline, signature);
    }

    function approve(address wallet, address spender, uint256 value) internal {
        vm.prank(wallet);
        usd.approve(spender, value);
    }

    /// @dev Nothing of what passed through is left.
    function nothingIsLeftInTheSettlement() internal view {
        vm.assertEq(usd.balanceOf(address(settlement)), 0, "the settlement contract holds nothing");
    }
}
