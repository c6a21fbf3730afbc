// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {Test} from "./Test.sol";

/// @title World
/// @notice The world has three deployed contracts, a call, a put, and a maker and a taker with money.
abstract contract World is Test {
    uint256 internal constant START = 1_750_000_000;
    uint64 internal constant EXPIRY = uint64(START + 7 days);
    uint256 internal constant FUNDS = 1_000_000e6;

    bytes32 internal constant CONDITION = bytes32(uint256(0xC0));
    uint256 internal constant YES_TOKEN = 7;

    uint256 internal constant MAKER_KEY = 0xA11CE;
    uint256 internal constant TAKER_KEY = 0xB0B;
    uint256 internal constant SIGNER_KEY = 0x516E;

    address internal immutable maker = vm.addr(MAKER_KEY);
    address internal immutable taker = vm.addr(TAKER_KEY);
    address internal immutable signer = vm.addr(SIGNER_KEY);
    address internal immutable owner = address(0x0B0E);
    address internal immutable registrar = address(0x4E6);
    address internal immutable guardian = address(0x6A4D);
    address internal immutable halter = address(0x4A17);
    address internal immutable stranger = address(0x57A);

    TestUSD internal usd;
    ServiceCore internal core;
    ServiceRFQSettlement internal settlement;

    /// @dev Series are registered of this token, with this collateral where a core checks the pair.
    uint256 internal yesToken = YES_TOKEN;
    address internal conditionCollateral;

    /// @dev A call at 0.4500, so that its collateral is 0.55 an option.
    uint256 internal callId;
    /// @dev A put at 0.4500, so that its collateral is 0.45 an option.
    uint256 internal putId;

    function setUp() public virtual {
        vm.chainId(80_002);
        vm.warp(START);
        usd = TestUSD(create(codeOf("TestUSD"), abi.encode(address(this), address(this))));
        (core, settlement) = deploy(address(usd));
        callId = createSeries(4500, EXPIRY, 0);
        putId = createSeries(4500, EXPIRY, 1);
        fund(maker);
        fund(taker);
    }

    /// @dev Roles in different hands, no cut-off, no dispute window, no last resort.
    function setupOf(address stablecoin) internal view returns (IServiceCore.Setup memory) {
        return IServiceCore.Setup({
            stablecoin: stablecoin,
            settlement: vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1),
            owner: owner,
            registrar: registrar,
            guardian: guardian,
            halter: halter,
            resolutionSigner: signer,
            tradingCutoff: 0,
            disputeWindow: 0,
            conditionalTokens: address(0),
            uri: "https://rfq.example/series/{id}"
        });
    }

    function deploy(address stablecoin) internal returns (ServiceCore, ServiceRFQSettlement) {
        return deploy(setupOf(stablecoin));
    }

    function deploy(IServiceCore.Setup memory setup)
        internal
        returns (ServiceCore core_, ServiceRFQSettlement settlement_)
    {
        core_ = ServiceCore(create(codeOf("ServiceCore"), abi.encode(setup)));
        settlement_ = ServiceRFQSettlement(create(codeOf("ServiceRFQSettlement"), abi.encode(core_)));
    }

    function createSeries(uint16 strikeBps, uint64 expiry, uint8 optionType) internal returns (uint256) {
        vm.prank(registrar);
        return core.createSeries(CONDITION, yesToken, conditionCollateral, strikeBps, expiry, optionType);
    }

    function termsOf(uint16 strikeBps, uint64 expiry, uint8 optionType)
        internal
        view
        returns (IServiceCore.Terms memory)
    {
        return IServiceCore.Terms(CONDITION, yesToken, strikeBps, expiry, optionType);
    }

    /// @dev One leg as the core packs it.
    function leg(int8 quantity, uint8 optionType, uint16 strikeBps) internal pure returns (uint256) {
        return uint256(uint8(quantity)) << 24 | uint256(optionType) << 16 | strikeBps;
    }

    /// @dev Registers a package of the World's market and expiry.
    function createPackage(uint256 legs) internal returns (uint256) {
        return core.createPackage(CONDITION, yesToken, EXPIRY, legs);
    }

    function packageTerms(uint256 legs) internal view returns (IServiceCore.Terms memory) {
        return IServiceCore.Terms(CONDITION, yesToken, legs, EXPIRY, 2);
    }

    function idOf(IServiceCore.Terms memory terms) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(terms)));
    }

    /// @dev Money and both approvals, so that the wallet can be either side.
    function fund(address wallet) internal {
        usd.mint(wallet, FUNDS);
        vm.prank(wallet);
        usd.approve(address(core), type(uint256).max);
        vm.prank(wallet);
        usd.approve(address(settlement), type(uint256).max);
    }

    /// @dev Most tests change this order: the maker sells 250 calls for 77.50.
    function someOrder() internal view returns (IServiceRFQSettlement.Order memory) {
        return IServiceRFQSettlement.Order({
            maker: maker,
            seriesId: callId,
            optionAmount: 250,
            premiumAmount: 77_500_000,
            makerSelling: true,
            taker: taker,
            validUntil: START + 2 minutes,
            nonce: 0
        });
    }

    function sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function signed(IServiceRFQSettlement.Order memory order) internal view returns (bytes memory) {
        return sign(MAKER_KEY, settlement.hashOrder(order));
    }

    /// @dev Signs and fills as the order's taker.
    function fill(IServiceRFQSettlement.Order memory order) internal {
        bytes memory signature = signed(order);
        vm.prank(order.taker);
        settlement.fill(order, signature);
    }

    /// @dev Maker writes `amount` of a series and the taker holds it, for a premium of 1 micro-dollar an option.
    function trade(uint256 seriesId, uint256 amount, uint256 nonce) internal {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.seriesId = seriesId;
        order.optionAmount = amount;
        order.premiumAmount = amount;
        order.nonce = nonce;
        fill(order);
    }

    function attestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        internal
        view
        returns (bytes memory)
    {
        return sign(SIGNER_KEY, core.hashAttestation(seriesId, resolutionBps, validUntil));
    }

    /// @dev Moves to the expiry if that is ahead, and settles.
    function settle(uint256 seriesId, uint16 resolutionBps) internal {
        if (block.timestamp < EXPIRY) vm.warp(EXPIRY);
        uint256 validUntil = block.timestamp + 15 minutes;
        core.settleWithAttestation(
            seriesId, resolutionBps, validUntil, attestation(seriesId, resolutionBps, validUntil)
        );
    }

    function seriesOf(uint256 seriesId) internal view returns (IServiceCore.Series memory) {
        return core.getSeries(seriesId);
    }
}
