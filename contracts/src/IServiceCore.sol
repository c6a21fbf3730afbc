// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "./IRoles.sol";

/// @title The vault: collateral in, options out, and back
/// @notice Holds the collateral of every option, issues the holder's side as ERC-1155 (id = seriesId, no decimals) and
/// keeps the writer's side as a plain mapping. Amounts are whole options; money is in micro-dollars of the stablecoin.
interface IServiceCore is IRoles {
    /// @notice What a core is deployed with; of all this only the holders of the four roles can change.
    /// @param stablecoin ERC-20 with 6 decimals.
    /// @param settlement Predicted address of the settlement contract.
    /// @param owner Appoints, resumes, announces manual resolutions.
    /// @param registrar Registers series; zero for nobody but the owner.
    /// @param guardian Halts, vetoes, revokes.
    /// @param resolutionSigner Attests prices, by key or by contract (ERC-1271).
    /// @param disputeWindow Seconds between an attested price and its being final, at most 7 days; 0 for none.
    /// @param conditionalTokens The contract whose reported payouts are the last resort; zero for none.
    /// @param uri ERC-1155 metadata address with the `{id}` placeholder.
    struct Setup {
        address stablecoin;
        address settlement;
        address owner;
        address registrar;
        address guardian;
        address resolutionSigner;
        uint64 disputeWindow;
        address conditionalTokens;
        string uri;
    }

    /// @notice What a series id is the hash of.
    /// @param shape Of a call or put the strike in ten-thousandths of $1, of a package its legs as in `createPackage`.
    /// @param kind 0 call, 1 put, 2 package.
    struct Terms {
        bytes32 conditionId;
        uint256 yesClobTokenId;
        uint256 shape;
        uint64 expiry;
        uint8 kind;
    }

    /// @notice What the resolution signer signs.
    struct Attestation {
        uint256 seriesId;
        uint16 resolutionBps;
        uint256 validUntil;
    }

    /// @notice A series, packed in one storage word.
    /// @param expiry Unix seconds; writing stops and settling starts at this second.
    /// @param strikeBps Strike in ten-thousandths of $1, 1..9999; 0 for a package.
    /// @param optionType 0 call, 1 put, 2 package.
    /// @param resolutionBps Price in hundredths of $1, 0..100; meaningful once `settled`.
    /// @param settled Whether there is a price; it is final from `finalAt` on.
    /// @param halted Whether trading is stopped; exits never are.
    /// @param openInterest Options outstanding; frozen when the price is final.
    /// @param maxPayoff The most one option can pay, in micro-dollars.
    /// @param payoff What one option pays at the price, in micro-dollars; meaningful once `settled`.
    /// @param finalAt Unix seconds from which the price is final and claims are open; 0 while there is none.
    /// @param vetoed Whether an attested price was taken back; attestations are refused from then on.
    /// @param openInterestCap The most options that may be outstanding; 2^80 - 1 where the owner set no cap.
    struct Series {
        uint64 expiry;
        uint16 strikeBps;
        uint8 optionType;
        uint8 resolutionBps;
        bool settled;
        bool halted;
        uint128 openInterest;
        uint32 maxPayoff;
        uint32 payoff;
        uint64 finalAt;
        bool vetoed;
        uint128 openInterestCap;
    }

    /// @notice An announced resolution by the owner.
    /// @param executableAt Unix seconds from which it may be executed, for 48 hours; 0 when there is none.
    /// @param resolutionBps Price in hundredths of $1.
    struct ManualProposal {
        uint64 executableAt;
        uint16 resolutionBps;
    }

    /// @notice A series was registered; its terms never change.
    event SeriesCreated(
        uint256 indexed seriesId,
        bytes32 indexed conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    );
    /// @notice A package was registered; its terms never change. `legs` as in `createPackage`.
    event PackageCreated(
        uint256 indexed seriesId, bytes32 indexed conditionId, uint256 yesClobTokenId, uint256 legs, uint64 expiry
    );
    /// @notice Trading of a series was stopped or resumed.
    event SeriesHaltChanged(uint256 indexed seriesId, bool halted);
    /// @notice Series registered from now on are capped at 2^exponent options; 0 for no cap.
    event DefaultCapChanged(uint8 exponent);
    /// @notice A series got a price, which is final from `finalAt` (Unix seconds) unless it is voided before.
    event SeriesSettled(uint256 indexed seriesId, uint16 resolutionBps, uint64 finalAt);
    /// @notice A price that was not final yet was taken back: the series has none, and attestations are refused.
    event PriceVoided(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice Two series of one market and expiry had different prices; `PriceVoided` follows for those not final yet.
    event PricesContradicted(uint256 indexed seriesIdA, uint256 indexed seriesIdB);
    /// @notice The owner announced a price; it counts from `executableAt` (Unix seconds) unless the signer's comes first.
    event ManualResolutionProposed(uint256 indexed seriesId, uint16 resolutionBps, uint64 executableAt);
    /// @notice The announced price became final; `SeriesSettled` came with it.
    event ManualResolutionExecuted(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice The market's own resolution became the price; `SeriesSettled` came with it.
    event ConditionResolutionExecuted(uint256 indexed seriesId, uint256 payoutNumerator, uint256 payoutDenominator);
    /// @notice Options came into being: `collateral` micro-dollars were locked for them.
    event OptionsWritten(
        uint256 indexed seriesId, address indexed writer, address indexed holder, uint256 amount, uint256 collateral
    );
    /// @notice A holder burned longs of a settled series for `payout` micro-dollars.
    event HolderPayoutClaimed(
        uint256 indexed seriesId, address indexed holder, address to, uint256 amount, uint256 payout
    );
    /// @notice A writer ended its short of `amount` options and got `collateral` micro-dollars back.
    event WriterCollateralClaimed(
        uint256 indexed seriesId, address indexed writer, address to, uint256 amount, uint256 collateral
    );
    /// @notice An account burned as many longs as shorts and got `collateral` micro-dollars back.
    event PositionClosed(
        uint256 indexed seriesId, address indexed account, address to, uint256 amount, uint256 collateral
    );
    /// @notice An account passed `amount` options that it had written, with their collateral, to one that accepted them.
    event ShortMoved(uint256 indexed seriesId, address indexed from, address indexed to, uint256 amount);

    /// @notice The stablecoin does not have the 6 decimals that micro-dollars stand on.
    error StablecoinDecimalsInvalid(address stablecoin, uint8 decimals);
    /// @notice A dispute window is at most 7 days.
    error DisputeWindowTooLong(uint64 disputeWindow);
    /// @notice Strikes are 1..9999: at 0 or 10000 one side could never be paid.
    error StrikeOutOfRange(uint16 strikeBps);
    /// @notice Expiries lie after now and at most 100 years ahead, so that milliseconds given for seconds are refused.
    error ExpiryOutOfRange(uint64 expiry, uint256 timestamp);
    /// @notice Option types are 0 (call) and 1 (put).
    error OptionTypeInvalid(uint8 optionType);
    /// @notice A series is created once.
    error SeriesExists(uint256 seriesId);
    /// @notice No series of this id was ever created.
    error SeriesUnknown(uint256 seriesId);
    /// @notice Trading of this series is stopped for now.
    error SeriesHalted(uint256 seriesId);
    /// @notice A package is halted for a leg that is.
    error SeriesNotHalted(uint256 seriesId);
    /// @notice The series is a call or a put.
    error NotPackage(uint256 seriesId);
    /// @notice Legs are two to four, ascending by type and strike, no option twice, with quantities of -4 to 4, none of them 0
    /// and all of them without a common divisor.
    error LegsNotNormal(uint256 legs);
    /// @notice The legs are worth the same at every resolution: there is nothing to trade.
    error PayoffConstant(uint256 legs);
    /// @notice Trading ended at `expiry` (Unix seconds).
    error SeriesExpired(uint256 seriesId, uint64 expiry);
    /// @notice Settling starts at `expiry` (Unix seconds).
    error SeriesNotExpired(uint256 seriesId, uint64 expiry);
    /// @notice A series has one price.
    error SeriesAlreadySettled(uint256 seriesId, uint16 resolutionBps);
    /// @notice There is no price yet.
    error SeriesNotSettled(uint256 seriesId);
    /// @notice The price can still be taken back; claims open at `finalAt` (Unix seconds).
    error PriceNotFinal(uint256 seriesId, uint64 finalAt);
    /// @notice The price is final since `finalAt` (Unix seconds): nothing takes it back.
    error PriceFinal(uint256 seriesId, uint64 finalAt);
    /// @notice Two series of one market and expiry with the same price do not contradict each other.
    error PricesAgree(uint256 seriesIdA, uint256 seriesIdB, uint16 resolutionBps);
    /// @notice Only series of one market and expiry can contradict each other.
    error MarketsDiffer(uint256 seriesIdA, uint256 seriesIdB);
    /// @notice Only the settlement contract writes, sells and closes options for others.
    error NotSettlement(address caller);
    /// @notice Nothing is no amount.
    error AmountZero();
    /// @notice The series may have at most `cap` options outstanding.
    error OpenInterestAboveCap(uint256 seriesId, uint256 openInterest, uint256 amount, uint256 cap);
    /// @notice A cap is 2^0 to 2^79 options, where 0 stands for none.
    error CapExponentOutOfRange(uint8 exponent);
    /// @notice The account has written fewer options than it wants to close.
    error ShortInsufficient(uint256 seriesId, address account, uint256 short, uint256 amount);
    /// @notice The writer has nothing left to claim in this series.
    error NothingWritten(uint256 seriesId, address writer);
    /// @notice Money sent to the zero address, to the core itself or to the settlement contract would be lost.
    error RecipientInvalid(address to);
    /// @notice Resolutions are 0..100 hundredths of $1.
    error ResolutionOutOfRange(uint16 resolutionBps);
    /// @notice The attestation's last second has passed.
    error AttestationExpired(uint256 validUntil, uint256 timestamp);
    /// @notice The attestation was not signed by the resolution signer; `recovered` is zero for a malformed signature.
    error AttestationSignerInvalid(address recovered, address resolutionSigner);
    /// @notice An attestation counts for at most a day, so that none can be kept in store.
    error AttestationTooFarAhead(uint256 validUntil, uint256 timestamp);
    /// @notice An attested price of the series was taken back: only the slower ways are left.
    error AttestationsVetoed(uint256 seriesId);
    /// @notice Every list of a call has the same length.
    error LengthMismatch(uint256 attestations, uint256 signatures);
    /// @notice The owner has announced no price for this series.
    error ManualProposalMissing(uint256 seriesId);
    /// @notice The core was deployed without a conditional-token contract.
    error LastResortMissing();
    /// @notice The market has reported no payouts yet.
    error ConditionUnresolved(bytes32 conditionId);
    /// @notice One outcome cannot pay more than all.
    error ConditionPayoutInvalid(uint256 numerator, uint256 denominator);
    /// @notice Neither of the condition's first two outcomes, in this collateral, is the series' token.
    error ConditionMismatch(bytes32 conditionId, uint256 yesClobTokenId, address conditionCollateral);
    /// @notice The acceptance's last second has passed.
    error AcceptanceExpired(uint256 deadline, uint256 timestamp);
    /// @notice Neither the receiver's key nor, for a contract, its ERC-1271 check accepted this digest.
    error AcceptanceInvalid(address to, bytes32 digest);

    /// @notice The 6-decimals stablecoin that collateral and payouts are in.
    function stablecoin() external view returns (address);

    /// @notice The only contract that may write options.
    function settlement() external view returns (address);

    /// @notice Seconds between an attested price and its being final.
    function DISPUTE_WINDOW() external view returns (uint64);

    /// @notice The contract whose reported payouts are the last resort; zero for none.
    function conditionalTokens() external view returns (address);

    /// @notice Series registered from now on are capped at 2^exponent options; 0 for no cap.
    function capExponent() external view returns (uint8);

    /// @notice Registers a series. Registrar or owner.
    /// @return seriesId `seriesIdOf` of the same arguments.
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    ) external returns (uint256 seriesId);

    /// @notice Registers a package: a series whose option pays what its legs are worth together, each by its quantity, less
    /// the least that this can be. Anyone, while each leg is registered and can be traded.
    /// @param expiry That of every leg, as condition and token are.
    /// @param legs In normal form: two to four, ascending by option type and strike, no option twice, quantities without a
    /// common divisor. Leg i stands in bits 32 x i to 32 x i + 31, from the high end: quantity (int8, -4..4, not 0), option
    /// type (uint8), strikeBps (uint16).
    /// @return seriesId uint256(keccak256(abi.encode(conditionId, yesClobTokenId, legs, expiry, uint8(2)))).
    function createPackage(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, uint256 legs)
        external
        returns (uint256 seriesId);

    /// @notice Stops trading of series here (owner or guardian) or resumes it (owner). Transfers, claims, closes and
    /// settlement stay open.
    function setHalted(uint256[] calldata seriesIds, bool halted) external;

    /// @notice Stops trading of a package that has a leg which is halted; only the owner resumes it. Anyone.
    /// @param terms Of the package.
    /// @param legIndex Of the halted leg, from 0.
    function haltPackage(Terms calldata terms, uint256 legIndex) external;

    /// @notice Caps series registered from now on at 2^exponent options; 0 for no cap. Owner only.
    function setDefaultCap(uint8 exponent) external;

    /// @notice Locks `amount` x `maxPayoff` of the payer's stablecoin, books the writer's short and mints the longs, the mint
    /// (and with it the receiver's hook) last. Settlement contract only.
    /// @param payer The writer, or the settlement contract with what it has just drawn from the writer. The collateral is the
    /// writer's either way.
    /// @return collateral What was locked, in micro-dollars.
    function openPositionPaidBy(address payer, address writer, address holder, uint256 seriesId, uint256 amount)
        external
        returns (uint256 collateral);

    /// @notice Moves `amount` longs from their holder, who has approved the settlement contract for them (ERC-1155), to the
    /// buyer of a series that can be traded. Settlement contract only.
    /// @return collateral What is locked for them, in micro-dollars.
    function sellLongs(address seller, address buyer, uint256 seriesId, uint256 amount)
        external
        returns (uint256 collateral);

    /// @notice Burns `amount` longs and as many shorts of the caller and returns their collateral to `to`; open before
    /// and after settlement, halted or not.
    function closePosition(uint256 seriesId, uint256 amount, address to) external returns (uint256 collateral);

    /// @notice `closePosition` for an account that fills an order, paid to that account. Settlement contract only.
    function closeFor(uint256 seriesId, address account, uint256 amount) external returns (uint256 collateral);

    /// @notice Passes `amount` options that the caller has written to `to`, and with them the collateral that is due for
    /// them in the end. Before and after settlement.
    /// @param deadline Last second at which the acceptance counts.
    /// @param signature By `to`, over `hashShortTransfer` with `nonces(to)`; by key or by contract (ERC-1271).
    function moveShort(address to, uint256 seriesId, uint256 amount, uint256 deadline, bytes calldata signature)
        external;

    /// @notice Gives a series the price that the resolution signer signed, by key or by contract (ERC-1271); it is final
    /// after the dispute window. Anyone, once, at or after expiry.
    /// @param validUntil Last second at which the attestation counts, at most a day ahead.
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external;

    /// @notice `settleWithAttestation` for each that has no price yet, all or none.
    function settleMany(Attestation[] calldata attestations, bytes[] calldata signatures) external;

    /// @notice Takes a price back that is not final yet. From then on attestations of the series are refused, so that this
    /// happens once; the owner's price and the last resort are left. Guardian only.
    function vetoSeries(uint256 seriesId) external;

    /// @notice Shows that two series of one market and expiry have different prices: each that is not final yet is taken
    /// back as by a veto. Anyone.
    function contradict(Terms calldata a, Terms calldata b) external;

    /// @notice Announces a price for a series that has none 3 days after expiry; a new announcement replaces the old one
    /// and starts its notice anew. Owner only.
    function proposeManual(uint256 seriesId, uint16 resolutionBps) external;

    /// @notice Makes the announced price final, from 24 to 72 hours after its announcement, unless the series got another
    /// one first. Owner only.
    function executeManual(uint256 seriesId) external;

    /// @notice Makes the market's own resolution the final price of a series that has none, from `lastResortAt` on:
    /// payout of the YES token in hundredths, halves up. Anyone.
    /// @param conditionCollateral The token that the market's positions are collateralised by.
    function settleFromCondition(Terms calldata terms, address conditionCollateral) external;

    /// @notice Burns `amount` of the caller's longs of a series with a final price and pays `amount` x `payoff` to the caller.
    /// A payoff of zero burns and pays nothing.
    function claimHolderPayout(uint256 seriesId, uint256 amount) external returns (uint256 payout);

    /// @notice As `claimHolderPayout`, paid to `to`.
    function claimHolderPayoutTo(uint256 seriesId, uint256 amount, address to) external returns (uint256 payout);

    /// @notice Ends the caller's whole short of a series with a final price and returns short x (`maxPayoff` - `payoff`).
    function claimWriterCollateral(uint256 seriesId) external returns (uint256 collateral);

    /// @notice As `claimWriterCollateral`, paid to `to`.
    function claimWriterCollateralTo(uint256 seriesId, address to) external returns (uint256 collateral);

    /// @notice Claims all that the caller holds and has written in series with a final price, in one transfer to `to`.
    /// @return paid Micro-dollars; 0 when there was nothing.
    function claimMany(uint256[] calldata seriesIds, address to) external returns (uint256 paid);

    /// @notice Claims for an account all that it holds and has written in a series with a final price, paid to that account
    /// and no one else. Anyone.
    /// @return paid Micro-dollars; 0 when there was nothing.
    function claimAllFor(address account, uint256 seriesId) external returns (uint256 paid);

    /// @notice The id of a call or put: uint256(keccak256(abi.encode(...))) of the five arguments.
    function seriesIdOf(bytes32 conditionId, uint256 yesClobTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)
        external
        pure
        returns (uint256 seriesId);

    /// @notice Reverts with `SeriesUnknown` for an id that was never created, as every view below does.
    function getSeries(uint256 seriesId) external view returns (Series memory);

    /// @notice The legs of a package as in `createPackage`, and the least that they can be worth together, in micro-dollars. A
    /// call or put is one leg of quantity 1.
    function legsOf(uint256 seriesId) external view returns (uint256 legs, int256 floor);

    /// @notice The most one option of the series can pay, in micro-dollars; also its collateral.
    function maxPayoff(uint256 seriesId) external view returns (uint256);

    /// @notice What one option of a series with a final price pays, in micro-dollars.
    function payoff(uint256 seriesId) external view returns (uint256);

    /// @notice The collateral of `amount` options, in micro-dollars.
    function requiredCollateral(uint256 seriesId, uint256 amount) external view returns (uint256);

    /// @notice The options of a series that `writer` has written and not closed or claimed; 0 for an unknown series.
    function shortOf(uint256 seriesId, address writer) external view returns (uint256);

    /// @notice The owner's announced resolution, if any.
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory);

    /// @notice The Unix second from which `settleFromCondition` is open for a series that has no price: 30 days after
    /// expiry or, while there is no resolution signer, 7 days after the later of expiry and the vacancy.
    function lastResortAt(uint256 seriesId) external view returns (uint256);

    /// @notice The EIP-712 digest that `to` signs to accept a short.
    function hashShortTransfer(
        address from,
        address to,
        uint256 seriesId,
        uint256 amount,
        uint256 nonce,
        uint256 deadline
    ) external view returns (bytes32 digest);

    /// @notice The EIP-712 digest that the resolution signer signs.
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        external
        view
        returns (bytes32 digest);
}
