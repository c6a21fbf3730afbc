// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "./IRoles.sol";

/// @title IServiceCore
/// @notice The core holds the collateral of every option, issues the holder's side as ERC-1155 (id = seriesId, no decimals)
/// and keeps the writer's side as a plain mapping. Amounts are whole options; money is in micro-dollars of the stablecoin.
interface IServiceCore is IRoles {
    /// @notice The constructor takes this; only the holders of the roles can change later.
    /// @param stablecoin ERC-20 with 6 decimals.
    /// @param settlement Predicted address of the settlement contract.
    /// @param owner Account that appoints, resumes and announces manual resolutions.
    /// @param registrar Account that registers series beside the owner; zero for the owner alone.
    /// @param guardian Account that halts, vetoes and revokes.
    /// @param halter Account that halts, as the guardian may too; zero for none.
    /// @param resolutionSigner Key or contract (ERC-1271) that attests prices.
    /// @param tradingCutoff Seconds before expiry at which trading ends, at most 7 days; 0 for the expiry itself.
    /// @param disputeWindow Seconds until an attested price is final, at most 7 days; 0 for at once.
    /// @param conditionalTokens Conditional-token contract whose tokens the series name, and whose reported payouts are the last
    /// resort; zero for none.
    /// @param uri ERC-1155 metadata address with the `{id}` placeholder.
    struct Setup {
        address stablecoin;
        address settlement;
        address owner;
        address registrar;
        address guardian;
        address halter;
        address resolutionSigner;
        uint64 tradingCutoff;
        uint64 disputeWindow;
        address conditionalTokens;
        string uri;
    }

    /// @notice A series id is the hash of these terms.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the market's YES outcome.
    /// @param shape Strike of a call or put in ten-thousandths of $1, or the legs of a package as in `createPackage`.
    /// @param expiry Unix seconds.
    /// @param kind 0 call, 1 put, 2 package.
    struct Terms {
        bytes32 conditionId;
        uint256 yesClobTokenId;
        uint256 shape;
        uint64 expiry;
        uint8 kind;
    }

    /// @notice A series, with the price of its fixing.
    /// @param expiry Unix seconds; settling starts at this second.
    /// @param strikeBps Strike in ten-thousandths of $1, 1..9999; 0 for a package.
    /// @param optionType 0 call, 1 put, 2 package.
    /// @param resolutionBps Price in hundredths of $1, 0..100; meaningful once `settled`.
    /// @param settled Whether the series has a price; it is final from `finalAt` on.
    /// @param halted Whether trading is stopped; exits stay open.
    /// @param openInterest Options written and not closed; claims do not change it.
    /// @param maxPayoff Largest payoff of one option, in micro-dollars.
    /// @param payoff Payoff of one option at the price, in micro-dollars; meaningful once `settled`.
    /// @param finalAt Unix seconds from which the price is final and claims are open; 0 without a price.
    /// @param vetoed Whether an attested price was taken back; attestations are then refused.
    /// @param openInterestCap What `openInterest` can grow to while no other series of the fixing grows; 2^68 - 1 without a cap.
    /// @param tradingEndsAt Unix seconds; trading stops at this second.
    /// @param fixing Number of the fixing: series of one market and expiry have the same.
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
        uint64 tradingEndsAt;
        uint32 fixing;
    }

    /// @notice The most that a fixing can have to pay, over all its series.
    /// @param owed Sum of openInterest x maxPayoff, in micro-dollars; 0 without a cap.
    /// @param cap Largest sum, in micro-dollars; 0 for no cap.
    struct Exposure {
        uint128 owed;
        uint128 cap;
    }

    /// @notice The owner announced this price.
    /// @param executableAt Unix seconds from which it may be executed, for 48 hours; 0 without an announcement.
    /// @param resolutionBps Price in hundredths of $1.
    /// @param vetoed Whether the guardian has vetoed an announcement, which it can do once.
    /// @param proposableAt Unix seconds from which the owner may announce a price.
    struct ManualProposal {
        uint64 executableAt;
        uint16 resolutionBps;
        bool vetoed;
        uint64 proposableAt;
    }

    /// @notice A series was registered; its terms never change.
    /// @param seriesId Id of the new series.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the market's YES outcome.
    /// @param strikeBps Strike in ten-thousandths of $1.
    /// @param expiry Unix seconds.
    /// @param optionType 0 call, 1 put.
    event SeriesCreated(
        uint256 indexed seriesId,
        bytes32 indexed conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    );
    /// @notice A package was registered; its terms never change.
    /// @param seriesId Id of the package.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the market's YES outcome.
    /// @param legs Legs as in `createPackage`.
    /// @param expiry Unix seconds.
    event PackageCreated(
        uint256 indexed seriesId, bytes32 indexed conditionId, uint256 yesClobTokenId, uint256 legs, uint64 expiry
    );
    /// @notice Trading of a series was stopped or resumed.
    /// @param seriesId Series whose trading changed.
    /// @param halted Whether trading is now stopped.
    event SeriesHaltChanged(uint256 indexed seriesId, bool halted);
    /// @notice The owner capped fixings created from now on.
    /// @param cap Micro-dollars; 0 for no cap.
    event DefaultCapChanged(uint64 cap);
    /// @notice A fixing got a price, which is final from `finalAt` unless it is voided before: by `PriceVoided`, or by a
    /// `RoleRevoked` of the active signer that attested it.
    /// @param seriesId Series that the call named; all series of its market and expiry have the price.
    /// @param resolutionBps Price in hundredths of $1.
    /// @param finalAt Unix seconds from which the price is final.
    event SeriesSettled(uint256 indexed seriesId, uint16 resolutionBps, uint64 finalAt);
    /// @notice The guardian vetoed a price that was not final: the fixing has no price, and attestations are refused.
    /// @param seriesId Series that the call named.
    /// @param resolutionBps Voided price in hundredths of $1.
    event PriceVoided(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice The guardian vetoed the owner's announcement.
    /// @param seriesId Series that the call named.
    /// @param resolutionBps Announced price in hundredths of $1.
    event ManualResolutionVetoed(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice The owner announced a price, to execute unless the signer attests one first.
    /// @param seriesId Series that the price is for.
    /// @param resolutionBps Price in hundredths of $1.
    /// @param executableAt Unix seconds from which the owner may execute it.
    event ManualResolutionProposed(uint256 indexed seriesId, uint16 resolutionBps, uint64 executableAt);
    /// @notice The announced price became final; `SeriesSettled` came with it.
    /// @param seriesId Series that got the price.
    /// @param resolutionBps Price in hundredths of $1.
    event ManualResolutionExecuted(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice The market's own resolution became the price; `SeriesSettled` came with it.
    /// @param seriesId Series that got the price.
    /// @param payoutNumerator Payout of the YES outcome.
    /// @param payoutDenominator Sum of all payouts.
    event ConditionResolutionExecuted(uint256 indexed seriesId, uint256 payoutNumerator, uint256 payoutDenominator);
    /// @notice A writer wrote options, and the core locked their collateral.
    /// @param seriesId Series of the options.
    /// @param writer Account that owes their payoff.
    /// @param holder Account that received them.
    /// @param amount Options.
    /// @param collateral Micro-dollars locked.
    event OptionsWritten(
        uint256 indexed seriesId, address indexed writer, address indexed holder, uint256 amount, uint256 collateral
    );
    /// @notice A holder burned longs of a settled series and was paid for them.
    /// @param seriesId Series of the longs.
    /// @param holder Account that held them.
    /// @param to Recipient of the payout.
    /// @param amount Options burned.
    /// @param payout Micro-dollars.
    event HolderPayoutClaimed(
        uint256 indexed seriesId, address indexed holder, address to, uint256 amount, uint256 payout
    );
    /// @notice A writer ended its short and got the rest of its collateral back.
    /// @param seriesId Series of the short.
    /// @param writer Account whose short ended.
    /// @param to Recipient of the collateral.
    /// @param amount Options of the short.
    /// @param collateral Micro-dollars.
    event WriterCollateralClaimed(
        uint256 indexed seriesId, address indexed writer, address to, uint256 amount, uint256 collateral
    );
    /// @notice An account burned as many longs as shorts and got their collateral back.
    /// @param seriesId Series of the position.
    /// @param account Account that closed.
    /// @param to Recipient of the collateral.
    /// @param amount Options burned on each side.
    /// @param collateral Micro-dollars.
    event PositionClosed(
        uint256 indexed seriesId, address indexed account, address to, uint256 amount, uint256 collateral
    );
    /// @notice An account passed a short, with its collateral, to an account that accepted it.
    /// @param seriesId Series of the short.
    /// @param from Former writer.
    /// @param to New writer.
    /// @param amount Options.
    event ShortMoved(uint256 indexed seriesId, address indexed from, address indexed to, uint256 amount);

    /// @notice The stablecoin must have 6 decimals, so that its unit is a micro-dollar.
    /// @param stablecoin Token that was given.
    /// @param decimals Its decimals.
    error StablecoinDecimalsInvalid(address stablecoin, uint8 decimals);
    /// @notice A dispute window is at most 7 days.
    /// @param disputeWindow Seconds that were given.
    error DisputeWindowTooLong(uint64 disputeWindow);
    /// @notice Strikes are 1..9999: at 0 or 10000 one side could never be paid.
    /// @param strikeBps Strike that was given, in ten-thousandths of $1.
    error StrikeOutOfRange(uint16 strikeBps);
    /// @notice Expiries lie after now and at most 100 years ahead, so that milliseconds given for seconds are refused.
    /// @param expiry Expiry that was given, in Unix seconds.
    /// @param timestamp Time of the block.
    error ExpiryOutOfRange(uint64 expiry, uint256 timestamp);
    /// @notice Option types are 0 (call) and 1 (put).
    /// @param optionType Type that was given.
    error OptionTypeInvalid(uint8 optionType);
    /// @notice The series is registered already.
    /// @param seriesId Id of the series.
    error SeriesExists(uint256 seriesId);
    /// @notice The core has no series of this id.
    /// @param seriesId Id that was given.
    error SeriesUnknown(uint256 seriesId);
    /// @notice Trading of the series is stopped.
    /// @param seriesId Series that is halted.
    error SeriesHalted(uint256 seriesId);
    /// @notice Legs are two to four, ascending by type and strike, no option twice, with quantities of -4 to 4, none of them 0
    /// and all of them without a common divisor.
    /// @param legs Legs that were given.
    error LegsNotNormal(uint256 legs);
    /// @notice The legs are worth the same at every resolution, so that there is nothing to trade.
    /// @param legs Legs that were given.
    error PayoffConstant(uint256 legs);
    /// @notice Trading has ended: at the expiry, or earlier by the core's cut-off.
    /// @param seriesId Series that was given.
    /// @param endedAt Unix seconds.
    error TradingEnded(uint256 seriesId, uint256 endedAt);
    /// @notice Settlement starts at the expiry.
    /// @param seriesId Series that has not expired.
    /// @param expiry Unix seconds.
    error SeriesNotExpired(uint256 seriesId, uint64 expiry);
    /// @notice The series has a price already.
    /// @param seriesId Series that was given.
    /// @param resolutionBps Its price in hundredths of $1.
    error SeriesAlreadySettled(uint256 seriesId, uint16 resolutionBps);
    /// @notice The series has no price yet.
    /// @param seriesId Series that was given.
    error SeriesNotSettled(uint256 seriesId);
    /// @notice The price can still be taken back, so that claims are not open.
    /// @param seriesId Series that was given.
    /// @param finalAt Unix seconds at which claims open.
    error PriceNotFinal(uint256 seriesId, uint64 finalAt);
    /// @notice The price is final, and nothing takes it back.
    /// @param seriesId Series that was given.
    /// @param finalAt Unix seconds since which it is final.
    error PriceFinal(uint256 seriesId, uint64 finalAt);
    /// @notice Only the settlement contract writes, sells and closes options for others.
    /// @param caller Account that called.
    error NotSettlement(address caller);
    /// @notice The amount must not be zero.
    error AmountZero();
    /// @notice A series has at most 2^68 - 1 options outstanding.
    /// @param seriesId Series that was given.
    /// @param openInterest Options outstanding.
    /// @param amount Options to write.
    error AmountTooLarge(uint256 seriesId, uint256 openInterest, uint256 amount);
    /// @notice All series of a fixing together may not owe more than its cap.
    /// @param seriesId Series that was given.
    /// @param owed Micro-dollars that the fixing can have to pay already.
    /// @param collateral Micro-dollars that would be added.
    /// @param cap Largest sum, in micro-dollars.
    error ExposureAboveCap(uint256 seriesId, uint256 owed, uint256 collateral, uint256 cap);
    /// @notice A trading cut-off is at most 7 days.
    /// @param tradingCutoff Seconds that were given.
    error TradingCutoffTooLong(uint64 tradingCutoff);
    /// @notice The account has written fewer options than the call needs.
    /// @param seriesId Series of the short.
    /// @param account Account that was given.
    /// @param short Options that it has written.
    /// @param amount Options that the call needs.
    error ShortInsufficient(uint256 seriesId, address account, uint256 short, uint256 amount);
    /// @notice The writer has nothing left to claim in this series.
    /// @param seriesId Series that was given.
    /// @param writer Account that called.
    error NothingWritten(uint256 seriesId, address writer);
    /// @notice Money sent to the zero address, to the core or to the settlement contract would be lost.
    /// @param to Recipient that was given.
    error RecipientInvalid(address to);
    /// @notice Resolutions are 0..100 hundredths of $1.
    /// @param resolutionBps Price that was given.
    error ResolutionOutOfRange(uint16 resolutionBps);
    /// @notice The attestation's last second has passed.
    /// @param validUntil Last second at which it counted.
    /// @param timestamp Time of the block.
    error AttestationExpired(uint256 validUntil, uint256 timestamp);
    /// @notice The attestation was not signed by the resolution signer.
    /// @param recovered Key that signed; zero for a malformed signature.
    /// @param resolutionSigner Signer that was expected.
    error AttestationSignerInvalid(address recovered, address resolutionSigner);
    /// @notice An attestation counts for at most a day, so that no one can keep one for later.
    /// @param validUntil Last second that was given.
    /// @param timestamp Time of the block.
    error AttestationTooFarAhead(uint256 validUntil, uint256 timestamp);
    /// @notice An attested price of the series was taken back; the owner's price and the last resort remain.
    /// @param seriesId Series that was given.
    error AttestationsVetoed(uint256 seriesId);
    /// @notice The owner has announced no price for this series.
    /// @param seriesId Series that was given.
    error ManualProposalMissing(uint256 seriesId);
    /// @notice The guardian vetoes one announcement of a fixing.
    /// @param seriesId Series that was given.
    error ManualVetoUsed(uint256 seriesId);
    /// @notice The core was deployed without a conditional-token contract.
    error LastResortMissing();
    /// @notice The market has reported no payouts yet.
    /// @param conditionId Condition of the market.
    error ConditionUnresolved(bytes32 conditionId);
    /// @notice One outcome cannot pay more than all outcomes.
    /// @param numerator Payout of the YES outcome.
    /// @param denominator Sum of all payouts.
    error ConditionPayoutInvalid(uint256 numerator, uint256 denominator);
    /// @notice Neither of the condition's first two outcomes, in this collateral, is the series' token.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the series.
    /// @param conditionCollateral Collateral that was given.
    error ConditionMismatch(bytes32 conditionId, uint256 yesClobTokenId, address conditionCollateral);
    /// @notice The acceptance's last second has passed.
    /// @param deadline Last second at which it counted.
    /// @param timestamp Time of the block.
    error AcceptanceExpired(uint256 deadline, uint256 timestamp);
    /// @notice Neither the receiver's key nor, for a contract, its ERC-1271 check accepted this digest.
    /// @param to Account that was to accept.
    /// @param digest Digest that it had to sign.
    error AcceptanceInvalid(address to, bytes32 digest);

    /// @notice Collateral and payouts are in this stablecoin of 6 decimals.
    /// @return Address of the token.
    function stablecoin() external view returns (address);

    /// @notice The settlement contract is the only one that may write options.
    /// @return Address of the settlement contract.
    function settlement() external view returns (address);

    /// @notice An attested price is final after this time.
    /// @return Seconds.
    function DISPUTE_WINDOW() external view returns (uint64);

    /// @notice Trading of a series ends this long before its expiry.
    /// @return Seconds.
    function TRADING_CUTOFF() external view returns (uint64);

    /// @notice The tokens of the series are positions of this conditional-token contract, and its reported payouts are the last
    /// resort.
    /// @return Address of the contract; zero for none.
    function conditionalTokens() external view returns (address);

    /// @notice Fixings created from now on can owe at most this.
    /// @return Micro-dollars; 0 for no cap.
    function defaultCap() external view returns (uint64);

    /// @notice Registers a call or put. The first of a market and expiry creates their fixing, with the default cap; where the core
    /// has a conditional-token contract, the token must then be one of the condition's two outcomes. Registrar or owner.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the market's YES outcome.
    /// @param conditionCollateral Collateral of the market's positions; not read where no pair is checked.
    /// @param strikeBps Strike in ten-thousandths of $1, 1..9999.
    /// @param expiry Unix seconds.
    /// @param optionType 0 call, 1 put.
    /// @return seriesId `seriesIdOf` of the other arguments.
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
        address conditionCollateral,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    ) external returns (uint256 seriesId);

    /// @notice Registers a package: one option of it pays what its legs are worth together, each by its quantity, less the
    /// least that this can be. Anyone, while each leg is registered and can be traded.
    /// @param conditionId Condition of every leg.
    /// @param yesClobTokenId Token of every leg.
    /// @param expiry Expiry of every leg, in Unix seconds.
    /// @param legs In normal form: two to four, ascending by option type and strike, no option twice, quantities without a
    /// common divisor. Leg i is in bits 32 x i to 32 x i + 31, from the high end: quantity (int8, -4..4, not 0), option
    /// type (uint8), strikeBps (uint16).
    /// @return seriesId uint256(keccak256(abi.encode(conditionId, yesClobTokenId, legs, expiry, uint8(2)))).
    function createPackage(bytes32 conditionId, uint256 yesClobTokenId, uint64 expiry, uint256 legs)
        external
        returns (uint256 seriesId);

    /// @notice Stops trading of series here (owner, guardian or halter) or resumes it (owner). Transfers, claims, closes and
    /// settlement stay open. A package is a series of its own: a halt of its legs stops new packages, not those that exist.
    /// @param seriesIds Series and packages to halt or resume.
    /// @param halted Whether to stop trading.
    function setHalted(uint256[] calldata seriesIds, bool halted) external;

    /// @notice Caps what all series of a market and expiry can owe together, for fixings created from now on. Owner only.
    /// @param cap Micro-dollars; 0 for no cap.
    function setDefaultCap(uint64 cap) external;

    /// @notice Locks `amount` x `maxPayoff` of the payer's stablecoin, books the writer's short and mints the longs, the mint
    /// (and with it the receiver's hook) last. Settlement contract only.
    /// @param payer The writer, or the settlement contract with money that it has just drawn from the writer. The collateral
    /// belongs to the writer either way.
    /// @param writer Account whose short grows.
    /// @param holder Account that receives the longs.
    /// @param seriesId Series of the options.
    /// @param amount Options.
    /// @return collateral Micro-dollars locked.
    function openPositionPaidBy(address payer, address writer, address holder, uint256 seriesId, uint256 amount)
        external
        returns (uint256 collateral);

    /// @notice Moves `amount` longs from their holder, who has approved the settlement contract for them (ERC-1155), to the
    /// buyer. The series must be open for trading. Settlement contract only.
    /// @param seller Holder of the longs.
    /// @param buyer Account that receives them.
    /// @param seriesId Series of the options.
    /// @param amount Options.
    /// @return collateral Micro-dollars locked for them.
    function sellLongs(address seller, address buyer, uint256 seriesId, uint256 amount)
        external
        returns (uint256 collateral);

    /// @notice Burns `amount` longs and as many shorts of the caller and pays their collateral to `to`. Closing stays open
    /// before and after settlement, halted or not.
    /// @param seriesId Series of the position.
    /// @param amount Options.
    /// @param to Recipient of the collateral.
    /// @return collateral Micro-dollars paid.
    function closePosition(uint256 seriesId, uint256 amount, address to) external returns (uint256 collateral);

    /// @notice Closes as `closePosition` does, for an account that fills an order, and pays that account. Settlement contract
    /// only.
    /// @param seriesId Series of the position.
    /// @param account Account that closes.
    /// @param amount Options.
    /// @return collateral Micro-dollars paid.
    function closeFor(uint256 seriesId, address account, uint256 amount) external returns (uint256 collateral);

    /// @notice Passes `amount` options that the caller has written to `to`, together with the claim to their collateral.
    /// Moving stays open before and after settlement.
    /// @param to New writer.
    /// @param seriesId Series of the short.
    /// @param amount Options.
    /// @param deadline Last second at which the acceptance counts.
    /// @param signature Signature of `to`, by key or by contract (ERC-1271), over `hashShortTransfer` with `nonces(to)`.
    function moveShort(address to, uint256 seriesId, uint256 amount, uint256 deadline, bytes calldata signature)
        external;

    /// @notice Uses the caller's next nonce, so that the short whose acceptance it signed with that nonce cannot be moved to it.
    /// @return nonce Nonce that was used.
    function useNonce() external returns (uint256 nonce);

    /// @notice Gives all series of a market and expiry the price that the resolution signer signed for one of them, by key or
    /// by contract (ERC-1271); it is final after the dispute window. Anyone, once, at or after expiry.
    /// @param seriesId Series that the attestation names.
    /// @param resolutionBps Price in hundredths of $1, 0..100.
    /// @param validUntil Last second at which the attestation counts, at most a day ahead.
    /// @param signature Signature over `hashAttestation`.
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external;

    /// @notice Vetoes a price that is not final yet. Attestations of the fixing are refused from then on, so that this happens
    /// once; the owner's price and the last resort remain. Guardian only.
    /// @param seriesId Any series of the fixing.
    function vetoSeries(uint256 seriesId) external;

    /// @notice Vetoes the owner's announcement, once a fixing and only where there is a conditional-token contract: the last
    /// resort then opens 7 days after expiry, and the owner announces the next price no sooner than 30 days after expiry.
    /// Guardian only.
    /// @param seriesId Any series of the fixing.
    function vetoManual(uint256 seriesId) external;

    /// @notice Announces a price for a fixing that has none, from 3 days after expiry, or from 7 days after the later of expiry
    /// and the vacancy while there is no resolution signer; a new announcement replaces the old one and restarts its notice.
    /// Owner only.
    /// @param seriesId Any series of the fixing.
    /// @param resolutionBps Price in hundredths of $1, 0..100.
    function proposeManual(uint256 seriesId, uint16 resolutionBps) external;

    /// @notice Makes the announced price final, from 24 to 72 hours after its announcement, unless the fixing got another
    /// price first. Owner only.
    /// @param seriesId Any series of the fixing.
    function executeManual(uint256 seriesId) external;

    /// @notice Makes the market's own resolution the final price of a fixing that has none, from `lastResortAt` on:
    /// payout of the YES token in hundredths, halves up. Anyone.
    /// @param terms Terms of any series of the fixing.
    function settleFromCondition(Terms calldata terms) external;

    /// @notice Burns `amount` of the caller's longs of a series with a final price and pays `amount` x `payoff` to the caller.
    /// A payoff of zero burns the longs and pays nothing.
    /// @param seriesId Series of the longs.
    /// @param amount Options to burn.
    /// @return payout Micro-dollars paid.
    function claimHolderPayout(uint256 seriesId, uint256 amount) external returns (uint256 payout);

    /// @notice Claims as `claimHolderPayout` does and pays `to`.
    /// @param seriesId Series of the longs.
    /// @param amount Options to burn.
    /// @param to Recipient of the payout.
    /// @return payout Micro-dollars paid.
    function claimHolderPayoutTo(uint256 seriesId, uint256 amount, address to) external returns (uint256 payout);

    /// @notice Ends the caller's whole short of a series with a final price and pays short x (`maxPayoff` - `payoff`).
    /// @param seriesId Series of the short.
    /// @return collateral Micro-dollars paid.
    function claimWriterCollateral(uint256 seriesId) external returns (uint256 collateral);

    /// @notice Claims as `claimWriterCollateral` does and pays `to`.
    /// @param seriesId Series of the short.
    /// @param to Recipient of the collateral.
    /// @return collateral Micro-dollars paid.
    function claimWriterCollateralTo(uint256 seriesId, address to) external returns (uint256 collateral);

    /// @notice Claims all longs and shorts of the caller in series with a final price, in one transfer to `to`.
    /// @param seriesIds Series to claim.
    /// @param to Recipient of the money.
    /// @return paid Micro-dollars; 0 without a position.
    function claimMany(uint256[] calldata seriesIds, address to) external returns (uint256 paid);

    /// @notice Claims all longs and shorts of an account in a series with a final price and pays that account, and no other.
    /// Anyone.
    /// @param account Account that is paid.
    /// @param seriesId Series to claim.
    /// @return paid Micro-dollars; 0 without a position.
    function claimAllFor(address account, uint256 seriesId) external returns (uint256 paid);

    /// @notice The id of a call or put is uint256(keccak256(abi.encode(...))) of the five arguments.
    /// @param conditionId Condition of the market.
    /// @param yesClobTokenId Token of the market's YES outcome.
    /// @param strikeBps Strike in ten-thousandths of $1.
    /// @param expiry Unix seconds.
    /// @param optionType 0 call, 1 put.
    /// @return seriesId Id of the series, registered or not.
    function seriesIdOf(bytes32 conditionId, uint256 yesClobTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)
        external
        pure
        returns (uint256 seriesId);

    /// @notice A series is read by its id. This view and those below revert with `SeriesUnknown` for an unknown id.
    /// @param seriesId Id of the series.
    /// @return State of the series.
    function getSeries(uint256 seriesId) external view returns (Series memory);

    /// @notice A package has legs and a floor, the least that its legs can be worth together. A call or put is one leg of
    /// quantity 1.
    /// @param seriesId Id of the series.
    /// @return legs Legs as in `createPackage`.
    /// @return floor Floor in micro-dollars.
    function legsOf(uint256 seriesId) external view returns (uint256 legs, int256 floor);

    /// @notice The largest payoff of one option is also its collateral.
    /// @param seriesId Id of the series.
    /// @return Micro-dollars.
    function maxPayoff(uint256 seriesId) external view returns (uint256);

    /// @notice One option of a series with a final price pays this.
    /// @param seriesId Id of the series.
    /// @return Micro-dollars.
    function payoff(uint256 seriesId) external view returns (uint256);

    /// @notice The collateral of `amount` options is `amount` x `maxPayoff`.
    /// @param seriesId Id of the series.
    /// @param amount Options.
    /// @return Micro-dollars.
    function requiredCollateral(uint256 seriesId, uint256 amount) external view returns (uint256);

    /// @notice A writer's short is what it has written and not closed, moved or claimed; 0 for an unknown series.
    /// @param seriesId Id of the series.
    /// @param writer Account that wrote.
    /// @return Options.
    function shortOf(uint256 seriesId, address writer) external view returns (uint256);

    /// @notice The owner announces a price before it executes it.
    /// @param seriesId Id of the series.
    /// @return Announced price; zeros without an announcement.
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory);

    /// @notice A capped fixing counts what its series can have to pay.
    /// @param seriesId Any series of the fixing.
    /// @return Exposure and cap; zeros without a cap.
    function exposureOf(uint256 seriesId) external view returns (Exposure memory);

    /// @notice `settleFromCondition` opens for a fixing without a price 30 days after expiry, 7 days after expiry where the
    /// guardian vetoed the owner's announcement, or, while there is no resolution signer, 3 days after the later of expiry and
    /// the vacancy.
    /// @param seriesId Id of the series.
    /// @return Unix seconds.
    function lastResortAt(uint256 seriesId) external view returns (uint256);

    /// @notice `to` signs this EIP-712 digest to accept a short.
    /// @param from Account that passes the short.
    /// @param to Account that accepts it.
    /// @param seriesId Series of the short.
    /// @param amount Options.
    /// @param nonce `nonces(to)`.
    /// @param deadline Last second at which the acceptance counts.
    /// @return digest Digest to sign.
    function hashShortTransfer(
        address from,
        address to,
        uint256 seriesId,
        uint256 amount,
        uint256 nonce,
        uint256 deadline
    ) external view returns (bytes32 digest);

    /// @notice The resolution signer signs this EIP-712 digest.
    /// @param seriesId Series that gets the price.
    /// @param resolutionBps Price in hundredths of $1.
    /// @param validUntil Last second at which the attestation counts.
    /// @return digest Digest to sign.
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        external
        view
        returns (bytes32 digest);
}
