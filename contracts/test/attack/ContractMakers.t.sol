// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @title ContractMakersTest
/// @notice Contracts (ERC-1271) are makers, honest and dishonest.
contract ContractMakersTest is World {
    bytes private constant YES = abi.encodePacked(IERC1271.isValidSignature.selector);

    function test_a_smart_wallet_sells_by_its_own_signature_check() external {
        Wallet wallet = new Wallet(maker);
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        bytes memory signature = sign(MAKER_KEY, settlement.hashOrder(order));
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.assertEq(core.shortOf(callId, address(wallet)), 250, "short");
    }

    function test_a_smart_wallet_buys_when_it_can_receive_options() external {
        Wallet wallet = new Wallet(maker);
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        order.makerSelling = false;
        bytes memory signature = sign(MAKER_KEY, settlement.hashOrder(order));
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.assertEq(core.balanceOf(address(wallet), callId), 250, "long");
    }

    function test_a_smart_wallet_refuses_another_keys_signature() external {
        Wallet wallet = new Wallet(maker);
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        refuses(order, sign(TAKER_KEY, settlement.hashOrder(order)));
    }

    function test_a_smart_wallets_signature_may_have_any_length() external {
        Answers wallet = new Answers(abi.encode(bytes32(YES)), false);
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        vm.prank(taker);
        settlement.fill(order, new bytes(333));
        vm.assertEq(core.shortOf(callId, address(wallet)), 250, "short");
    }

    function test_anything_but_the_magic_value_is_a_refusal() external {
        refusesAnswer(abi.encode(bytes32(0)), false);
        refusesAnswer(abi.encode(bytes32(uint256(1))), false);
        refusesAnswer(abi.encode(bytes32(bytes4(0xffffffff))), false);
        refusesAnswer("", false);
        refusesAnswer(YES, false);
        refusesAnswer(abi.encode(uint256(uint32(bytes4(YES)))), false);
        refusesAnswer(bytes.concat(bytes4(YES), bytes28(uint224(1))), false);
    }

    function test_a_maker_that_reverts_with_the_magic_value_refuses() external {
        refusesAnswer(abi.encode(bytes32(YES)), true);
    }

    function test_a_maker_that_burns_gas_costs_the_taker_only_gas() external {
        BurnsGas wallet = new BurnsGas();
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        vm.prank(taker);
        (bool filled,) = address(settlement).call{gas: 3_000_000}(abi.encodeCall(settlement.fill, (order, "")));
        vm.assertTrue(!filled, "filled");
        vm.assertEq(usd.balanceOf(taker), FUNDS, "the taker's money");
        vm.assertTrue(!settlement.isNonceUsed(address(wallet), 0), "the nonce");
    }

    function test_a_maker_cannot_change_anything_while_it_is_asked() external {
        Meddler wallet = new Meddler(address(settlement));
        fund(address(wallet));
        refuses(orderOf(address(wallet)), "");
        vm.assertTrue(!settlement.isNonceUsed(address(wallet), 7), "it cancelled nothing");
    }

    function test_an_order_check_asks_a_smart_wallet_too() external {
        Wallet wallet = new Wallet(maker);
        fund(address(wallet));
        IServiceRFQSettlement.Order memory order = orderOf(address(wallet));
        bytes memory signature = sign(MAKER_KEY, settlement.hashOrder(order));
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signature);
        vm.assertEq(uint256(status), uint256(IServiceRFQSettlement.OrderStatus.Fillable), "status");
    }

    function refusesAnswer(bytes memory answer, bool reverts) private {
        Answers wallet = new Answers(answer, reverts);
        fund(address(wallet));
        refuses(orderOf(address(wallet)), "");
    }

    function refuses(IServiceRFQSettlement.Order memory order, bytes memory signature) private {
        bytes memory reason = abi.encodeWithSelector(
            IServiceRFQSettlement.SignatureInvalid.selector, order.maker, settlement.hashOrder(order)
        );
        vm.expectRevert(reason);
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function orderOf(address wallet) private view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        order.maker = wallet;
    }
}

/// @title Wallet
/// @notice One key signs for this honest smart wallet.
contract Wallet is ERC1155Holder {
    address private immutable key;

    constructor(address key_) {
        key = key_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == key ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}

/// @title Answers
/// @notice This contract returns given bytes for every call but the mint hook.
contract Answers is ERC1155Holder {
    bytes private answer;
    bool private reverts;

    constructor(bytes memory answer_, bool reverts_) {
        (answer, reverts) = (answer_, reverts_);
    }

    fallback() external {
        bytes memory data = answer;
        bool failing = reverts;
        assembly {
            if failing { revert(add(data, 0x20), mload(data)) }
            return(add(data, 0x20), mload(data))
        }
    }
}

/// @title BurnsGas
/// @notice This maker burns all gas when asked for its signature.
contract BurnsGas {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        while (true) {}
        return IERC1271.isValidSignature.selector;
    }
}

/// @title Meddler
/// @notice This maker accepts, after it tried to cancel one of its nonces.
contract Meddler {
    IServiceRFQSettlement private immutable settlement;

    constructor(address settlement_) {
        settlement = IServiceRFQSettlement(settlement_);
    }

    fallback() external {
        settlement.cancelNonce(7);
        bytes4 yes = IERC1271.isValidSignature.selector;
        assembly {
            mstore(0, yes)
            return(0, 0x20)
        }
    }
}
