// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {PaymentsWorld} from "../../support/PaymentsWorld.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title FillForTest
/// @notice Anyone submits a fill that the taker authorized, for a bounded fee.
contract FillForTest is PaymentsWorld {
    uint256 private constant PREMIUM = 77_500_000;
    uint256 private constant COLLATERAL = 250 * 550_000;
    uint256 private constant FEE = 50_000;
    /// @dev Of 1% of the premium.
    uint256 private constant SHARE = 775_000;

    function test_a_buying_taker_pays_the_fee_on_top() external {
        submit(someOrder(), byPermit(address(settlement), PREMIUM + FEE), FEE);
        vm.assertEq(core.balanceOf(taker, callId), 250, "longs");
        vm.assertEq(core.balanceOf(submitter, callId), 0, "nothing for who submits");
        vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM - FEE, "the taker");
        vm.assertEq(usd.balanceOf(maker), FUNDS + PREMIUM - COLLATERAL, "the maker has the whole premium");
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the fee");
        nothingIsLeftInTheSettlement();
    }

    function test_a_writing_taker_pays_the_fee_out_of_the_premium() external {
        submit(writtenByTaker(), byPermit(address(core), COLLATERAL), FEE);
        vm.assertEq(core.shortOf(callId, taker), 250, "short");
        vm.assertEq(usd.balanceOf(taker), FUNDS + PREMIUM - FEE - COLLATERAL, "the taker");
        vm.assertEq(usd.balanceOf(maker), FUNDS - PREMIUM, "the maker pays the premium and no more");
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the fee");
        nothingIsLeftInTheSettlement();
    }

    function test_by_a_signed_transfer_the_fee_is_part_of_what_is_due() external {
        submit(someOrder(), byAuthorization(PREMIUM + FEE), FEE);
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the fee");
        nothingIsLeftInTheSettlement();
    }

    function test_writing_by_permit2_the_fee_is_taken_from_the_premium() external {
        approve(taker, address(PERMIT2), type(uint256).max);
        submit(writtenByTaker(), byPermit2(COLLATERAL), FEE);
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the fee");
        vm.assertEq(core.shortOf(callId, taker), 250, "short");
        nothingIsLeftInTheSettlement();
    }

    function test_without_a_fee_no_one_is_paid() external {
        approve(taker, address(settlement), PREMIUM);
        submit(someOrder(), byAllowance(), 0);
        vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM, "the premium alone");
        vm.assertEq(usd.balanceOf(feeRecipient), 0, "no fee");
    }

    function test_the_fee_may_be_all_of_the_premium_and_no_more() external {
        approve(taker, address(core), COLLATERAL);
        IServiceRFQSettlement.Order memory order = writtenByTaker();
        order.premiumAmount = FEE - 1;
        refuses(
            order,
            byAllowance(),
            authorizationOf(order),
            FEE,
            abi.encodeWithSelector(IServiceRFQSettlement.FeeAbovePremium.selector, FEE, FEE - 1)
        );
        order.premiumAmount = FEE;
        submit(order, byAllowance(), FEE);
        vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the fee");
        vm.assertEq(usd.balanceOf(taker), FUNDS - COLLATERAL, "nothing of the premium is left");
    }

    function test_a_fee_above_what_was_signed_is_refused() external {
        approve(taker, address(settlement), type(uint256).max);
        refuses(
            someOrder(),
            byAllowance(),
            authorizationOf(someOrder()),
            FEE + 1,
            abi.encodeWithSelector(IServiceRFQSettlement.FeeAboveMax.selector, FEE + 1, FEE)
        );
    }

    function test_it_counts_to_the_last_second_and_not_one_more() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(someOrder());
        vm.warp(authorization.deadline + 1);
        refuses(
            someOrder(),
            byAllowance(),
            authorization,
            FEE,
            abi.encodeWithSelector(
                IServiceRFQSettlement.FillAuthorizationExpired.selector,
                authorization.deadline,
                authorization.deadline + 1
            )
        );
        vm.warp(authorization.deadline);
        submit(someOrder(), byAllowance(), FEE);
    }

    function test_it_is_for_one_order_alone() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory other = someOrder();
        other.nonce = 1;
        refuses(
            other,
            byAllowance(),
            authorizationOf(someOrder()),
            FEE,
            abi.encodeWithSelector(
                IServiceRFQSettlement.FillAuthorizationMismatch.selector,
                settlement.hashOrder(other),
                settlement.hashOrder(someOrder())
            )
        );
    }

    function test_it_fills_once() external {
        approve(taker, address(settlement), type(uint256).max);
        submit(someOrder(), byAllowance(), FEE);
        refuses(
            someOrder(),
            byAllowance(),
            authorizationOf(someOrder()),
            FEE,
            abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0)
        );
    }

    function test_each_of_its_fields_is_signed() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(order);
        bytes memory takerSignature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        for (uint256 field = 0; field < 5; ++field) {
            IServiceRFQSettlement.FillAuthorization memory changed = authorizationOf(order);
            if (field == 0) ++changed.maxFee;
            if (field == 1) changed.feeRecipient = submitter;
            if (field == 2) ++changed.deadline;
            if (field == 3) changed.partner = submitter;
            if (field == 4) ++changed.partnerBps;
            refusesSigned(order, changed, takerSignature);
        }
        IServiceRFQSettlement.Order memory other = order;
        other.nonce = 1;
        authorization.orderHash = settlement.hashOrder(other);
        refusesSigned(other, authorization, takerSignature);
    }

    function test_only_the_taker_signs_the_authorization() external {
        approve(taker, address(settlement), type(uint256).max);
        uint256 hotKey = 0x407;
        address hot = vm.addr(hotKey);
        vm.prank(taker);
        settlement.authorizeSigner(hot, START + 1 days);
        IServiceRFQSettlement.FillAuthorization memory authorization = authorizationOf(someOrder());
        bytes32 digest = settlement.hashFillAuthorization(authorization);
        refusesSigned(someOrder(), authorization, sign(MAKER_KEY, digest));
        refusesSigned(someOrder(), authorization, sign(hotKey, digest));
        refusesSigned(someOrder(), authorization, "");
        // Its signature of the order does not authorize the fill either.
        refusesSigned(someOrder(), authorization, sign(TAKER_KEY, settlement.hashOrder(someOrder())));
    }

    function test_a_fill_authorization_signs_no_order() external {
        approve(taker, address(settlement), type(uint256).max);
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = sign(MAKER_KEY, settlement.hashFillAuthorization(authorizationOf(order)));
        bytes32 digest = settlement.hashOrder(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, digest));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_a_contract_taker_signs_by_its_own_check() external {
        BuyingWallet wallet = new BuyingWallet(taker);
        usd.mint(address(wallet), FUNDS);
        approve(address(wallet), address(settlement), PREMIUM + FEE);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = address(wallet);
        submit(order, byAllowance(), FEE);
        vm.assertEq(core.balanceOf(address(wallet), callId), 250, "longs");
        vm.assertEq(usd.balanceOf(address(wallet)), FUNDS - PREMIUM - FEE, "paid");
    }

    function test_the_authorization_is_hashed_as_eip_712_says() external view {
        IServiceRFQSettlement.FillAuthorization memory a = authorizationOf(someOrder());
        (a.partner, a.partnerBps) = (address(0x9A), 25);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ServiceRFQSettlement"),
                keccak256("1"),
                80_002,
                address(settlement)
            )
        );
        bytes32 inner = keccak256(
            abi.encode(
                keccak256(
                    "FillAuthorization(bytes32 orderHash,uint256 maxFee,address feeRecipient,uint256 deadline,address partner,uint16 partnerBps)"
                ),
                a.orderHash,
                a.maxFee,
                a.feeRecipient,
                a.deadline,
                a.partner,
                a.partnerBps
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, inner));
        vm.assertEq(settlement.hashFillAuthorization(a), digest, "digest");
    }

    function test_a_buying_taker_pays_both_fees_on_top() external {
        IServiceRFQSettlement.FillAuthorization memory authorization = withPartner(someOrder(), 100);
        IServiceRFQSettlement.Payment[3] memory payments = [
            byPermit(address(settlement), PREMIUM + FEE + SHARE),
            byAuthorization(PREMIUM + FEE + SHARE),
            byPermit2(PREMIUM + FEE + SHARE)
        ];
        approve(taker, address(PERMIT2), type(uint256).max);
        uint256 state = vm.snapshotState();
        for (uint256 i = 0; i < 3; ++i) {
            fillFor(someOrder(), payments[i], authorization, FEE);
            vm.assertEq(usd.balanceOf(taker), FUNDS - PREMIUM - FEE - SHARE, "the taker");
            vm.assertEq(usd.balanceOf(maker), FUNDS + PREMIUM - COLLATERAL, "the maker has the whole premium");
            vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the relayer's fee");
            vm.assertEq(usd.balanceOf(partner), SHARE, "the partner's");
            vm.assertEq(usd.allowance(taker, address(settlement)), 0, "no allowance is left");
            nothingIsLeftInTheSettlement();
            vm.revertToState(state);
        }
    }

    function test_a_writing_taker_pays_both_fees_out_of_the_premium() external {
        IServiceRFQSettlement.FillAuthorization memory authorization = withPartner(writtenByTaker(), 100);
        IServiceRFQSettlement.Payment[3] memory payments =
            [byPermit(address(core), COLLATERAL), byAuthorization(COLLATERAL), byPermit2(COLLATERAL)];
        approve(taker, address(PERMIT2), type(uint256).max);
        approve(maker, address(settlement), PREMIUM);
        uint256 state = vm.snapshotState();
        for (uint256 i = 0; i < 3; ++i) {
            fillFor(writtenByTaker(), payments[i], authorization, FEE);
            vm.assertEq(usd.balanceOf(taker), FUNDS + PREMIUM - FEE - SHARE - COLLATERAL, "the taker");
            vm.assertEq(usd.balanceOf(maker), FUNDS - PREMIUM, "the maker pays the premium and no more");
            vm.assertEq(usd.allowance(maker, address(settlement)), 0, "of which all was approved");
            vm.assertEq(usd.balanceOf(feeRecipient), FEE, "the relayer's fee");
            vm.assertEq(usd.balanceOf(partner), SHARE, "the partner's");
            nothingIsLeftInTheSettlement();
            vm.revertToState(state);
        }
    }

    function test_both_fees_together_may_be_all_of_the_premium_and_no_more() external {
        approve(taker, address(core), COLLATERAL);
        IServiceRFQSettlement.Order memory order = writtenByTaker();
        order.premiumAmount = 1000;
        IServiceRFQSettlement.FillAuthorization memory authorization = withPartner(order, 500);
        refuses(
            order,
            byAllowance(),
            authorization,
            951,
            abi.encodeWithSelector(IServiceRFQSettlement.FeeAbovePremium.selector, 1001, 1000)
        );
        fillFor(order, byAllowance(), authorization, 950);
        vm.assertEq(usd.balanceOf(partner), 50, "the partner's");
        vm.assertEq(usd.balanceOf(taker), FUNDS - COLLATERAL, "nothing of the premium is left");
    }

    function test_a_signed_share_above_the_cap_is_refused() external {
        approve(taker, address(settlement), type(uint256).max);
        refuses(
            someOrder(),
            byAllowance(),
            withPartner(someOrder(), 501),
            0,
            abi.encodeWithSelector(IServiceRFQSettlement.PartnerFeeAboveMax.selector, 501, 500)
        );
    }

    function test_a_signed_partner_is_none_of_the_two_contracts() external {
        approve(taker, address(settlement), type(uint256).max);
        address[3] memory lost = [address(0), address(core), address(settlement)];
        for (uint256 i = 0; i < 3; ++i) {
            IServiceRFQSettlement.FillAuthorization memory authorization = withPartner(someOrder(), 1);
            authorization.partner = lost[i];
            refuses(
                someOrder(),
                byAllowance(),
                authorization,
                0,
                abi.encodeWithSelector(IServiceRFQSettlement.PartnerInvalid.selector, lost[i])
            );
        }
    }

    function testFuzz_any_fee_leaves_every_balance_exact(uint96 premium, uint96 fee, uint16 bps, bool writes) external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = !writes;
        order.premiumAmount = bound(premium, 0, COLLATERAL);
        bps = uint16(bound(bps, 0, 500));
        uint256 share = order.premiumAmount * bps / 10_000;
        uint256 charged = bound(fee, 0, writes ? order.premiumAmount - share : FUNDS - order.premiumAmount - share);
        approve(taker, address(settlement), type(uint256).max);
        approve(taker, address(core), type(uint256).max);
        IServiceRFQSettlement.FillAuthorization memory authorization = withPartner(order, bps);
        authorization.maxFee = charged;
        fillFor(order, byAllowance(), authorization, charged);
        uint256 fees = charged + share;
        uint256 takerPaid = writes ? COLLATERAL + fees - order.premiumAmount : order.premiumAmount + fees;
        vm.assertEq(usd.balanceOf(taker) + takerPaid, FUNDS, "taker");
        vm.assertEq(usd.balanceOf(feeRecipient), charged, "fee");
        vm.assertEq(usd.balanceOf(partner), share, "share");
        vm.assertEq(usd.balanceOf(address(core)), COLLATERAL, "collateral");
        vm.assertEq(usd.balanceOf(taker) + usd.balanceOf(maker) + fees + COLLATERAL, 2 * FUNDS, "all");
    }

    function authorizationOf(IServiceRFQSettlement.Order memory order)
        private
        view
        returns (IServiceRFQSettlement.FillAuthorization memory)
    {
        return IServiceRFQSettlement.FillAuthorization(
            settlement.hashOrder(order), FEE, feeRecipient, START + 60, address(0), 0
        );
    }

    function withPartner(IServiceRFQSettlement.Order memory order, uint16 bps)
        private
        view
        returns (IServiceRFQSettlement.FillAuthorization memory authorization)
    {
        authorization = authorizationOf(order);
        (authorization.partner, authorization.partnerBps) = (partner, bps);
    }

    function submit(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.Payment memory paid, uint256 fee)
        private
    {
        fillFor(order, paid, authorizationOf(order), fee);
    }

    function fillFor(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.Payment memory paid,
        IServiceRFQSettlement.FillAuthorization memory authorization,
        uint256 fee
    ) private {
        bytes memory makerSignature = signed(order);
        bytes memory takerSignature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        vm.prank(submitter);
        settlement.fillFor(order, makerSignature, paid, authorization, takerSignature, fee);
    }

    function refuses(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.Payment memory paid,
        IServiceRFQSettlement.FillAuthorization memory authorization,
        uint256 fee,
        bytes memory reason
    ) private {
        bytes memory makerSignature = signed(order);
        bytes memory takerSignature = sign(TAKER_KEY, settlement.hashFillAuthorization(authorization));
        vm.expectRevert(reason);
        vm.prank(submitter);
        settlement.fillFor(order, makerSignature, paid, authorization, takerSignature, fee);
    }

    function refusesSigned(
        IServiceRFQSettlement.Order memory order,
        IServiceRFQSettlement.FillAuthorization memory authorization,
        bytes memory takerSignature
    ) private {
        bytes memory makerSignature = signed(order);
        bytes32 digest = settlement.hashFillAuthorization(authorization);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.FillAuthorizationInvalid.selector, taker, digest));
        vm.prank(submitter);
        settlement.fillFor(order, makerSignature, byAllowance(), authorization, takerSignature, 0);
    }
}

/// @title BuyingWallet
/// @notice This ERC-1271 wallet of one key receives options.
contract BuyingWallet is ERC1155Holder, IERC1271 {
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        return ECDSA.recover(digest, signature) == owner ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
