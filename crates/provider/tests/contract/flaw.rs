//! What can be wrong with the fake provider. One flaw at a time; the suite must catch each.

macro_rules! flaws {
    ($($flaw:ident,)+) => {
        /// A deliberate mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Flaw {
            None,
            $($flaw,)+
        }

        impl Flaw {
            /// Every mistake there is.
            pub(crate) const ALL: &[Self] = &[$(Self::$flaw,)+];
        }
    };
}

flaws! {
    MakesASecondVm,
    LosesTheLostReply,
    TrustsLists,
    AdoptsStrangers,
    FindsByPrefixOfTheName,
    LeaksANicWhenRefused,
    MakesANicForEachAttempt,
    NeedsItsMemory,
    ChokesOnItsOwnNic,
    DeletesTheVmOnly,
    FailsWhenNothingIsThere,
    DeletesByIdOnly,
    NeedsAUid,
    DeletesStrangers,
    DeletesKeptVolumes,
    ForgetsLeftovers,
    NoScopeMeansEverything,
    ReadsOnePage,
    SwallowsALostPage,
    MatchesClustersByPrefix,
    ListsVmsOnly,
    StatusRepairs,
    StatusRemembers,
    StatusSeesStrangers,
    TakesTheFirstOfSeveral,
    ForbiddenIsUnknown,
    OutageIsNotFound,
    ForgetsTheWait,
    QuotaIsInternal,
    ShowsTheToken,
    ShowsTheTokenEncoded,
    BadTokenIsInternal,
    KeepsTheOldToken,
    AcceptsNoToken,
    IgnoresTheDeadline,
    SaysDoneTooEarly,
    TrimsUserData,
    SendsAnyLength,
    SpellsListedIdsAnew,
    KnowsOneSpelling,
    TakesAnyId,
    DefaultsOverwrite,
    DefaultsGrow,
    DefaultsReplaceGarbage,
    RefusesItsOwnDefaults,
    OptionalZone,
    ClaimsEveryVolume,
    ForgetsARule,
    NamesARuleOfOthers,
    HasNoName,
    DoublesWhatHasNoUid,
    NeedsAWholeClass,
    ListsNoUid,
}
