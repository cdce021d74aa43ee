//! The contract suite against an in-memory cloud: a right provider passes, and every wrong one is caught.

#![expect(clippy::unwrap_used, reason = "the whole crate is a test")]

mod cloud;
mod flaw;
mod lab;
mod provider;
mod rules;

use std::pin::Pin;

use flaw::Flaw;
use lab::{Lab, Pace};
use millwright_provider::contract::{self, Bench, Verdict, run_all};

#[tokio::test(start_paused = true)]
async fn a_right_provider_keeps_every_point_that_its_cloud_offers() {
    let report = run_all(&Lab { flaw: Flaw::None, pace: Pace::Quick }).await;
    report.assert_kept();
    assert_eq!(report.not_offered().count(), 0, "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_right_provider_of_a_slow_cloud_keeps_every_point_too() {
    let report = run_all(&Lab { flaw: Flaw::None, pace: Pace::Slow }).await;
    report.assert_kept();
    assert_eq!(report.not_offered().count(), 0, "{report}");
}

#[tokio::test(start_paused = true)]
async fn a_report_names_the_broken_points_and_says_what_was_seen() {
    let report = run_all(&Lab { flaw: Flaw::MakesASecondVm, pace: Pace::Quick }).await;
    assert!(report.broken().any(|point| point == "create_twice_makes_one_vm"), "{report}");
    assert!(
        report.to_string().contains("BROKEN       create_twice_makes_one_vm: both creations must return")
    );
    let kept = std::panic::catch_unwind(|| report.assert_kept());
    assert!(kept.is_err(), "a report with broken points must end the test");
}

type Point = for<'a> fn(&'a dyn Bench) -> Pin<Box<dyn Future<Output = Verdict> + 'a>>;

macro_rules! point {
    ($name:ident) => {
        (stringify!($name), (|bench| Box::pin(contract::$name(bench))) as Point)
    };
}

#[tokio::test(start_paused = true)]
async fn every_flaw_is_caught_by_the_point_that_is_about_it() {
    let mut escaped = Vec::new();
    for &flaw in Flaw::ALL {
        let (name, point) = caught_by(flaw);
        let lab = Lab { flaw, pace: Pace::Quick };
        match point(&lab).await {
            Err(broken) => println!("{flaw:?} is caught by {name}: {broken}"),
            Ok(kept) => escaped.push(format!("{flaw:?} escaped {name}, which said {kept:?}")),
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}

fn caught_by(flaw: Flaw) -> (&'static str, Point) {
    match flaw {
        Flaw::None => unreachable!("no flaw, nothing to catch"),
        Flaw::MakesASecondVm => point!(create_twice_makes_one_vm),
        Flaw::LosesTheLostReply => point!(create_after_a_lost_reply_makes_one_vm),
        Flaw::TrustsLists => point!(create_while_lists_lag_makes_one_vm),
        Flaw::AdoptsStrangers => point!(a_strangers_vm_of_that_name_stops_create_and_survives),
        Flaw::FindsByPrefixOfTheName => point!(neighbouring_names_stay_apart),
        Flaw::LeaksANicWhenRefused => point!(a_refused_creation_is_cleaned_up),
        Flaw::MakesANicForEachAttempt => point!(a_creation_interrupted_at_any_call_converges),
        Flaw::NeedsItsMemory => point!(a_creation_given_up_at_any_call_leaves_nothing),
        Flaw::ChokesOnItsOwnNic => point!(a_creation_dropped_at_any_call_converges),
        Flaw::DeletesTheVmOnly => point!(a_deletion_interrupted_at_any_call_leaves_nothing),
        Flaw::FailsWhenNothingIsThere => point!(deleting_nothing_is_success),
        Flaw::DeletesByIdOnly => point!(delete_without_an_id_finds_the_vm),
        Flaw::NeedsAUid => point!(an_orphan_is_deleted_by_its_id),
        Flaw::DeletesStrangers => point!(delete_refuses_vms_of_strangers),
        Flaw::DeletesKeptVolumes => point!(delete_keeps_volumes),
        Flaw::ForgetsLeftovers => point!(delete_collects_leftovers),
        Flaw::NoScopeMeansEverything => point!(list_without_a_scope_is_refused),
        Flaw::ReadsOnePage => point!(list_is_complete_over_pages),
        Flaw::SwallowsALostPage => point!(list_is_complete_or_an_error),
        Flaw::MatchesClustersByPrefix => point!(list_leaves_out_strangers),
        Flaw::ListsVmsOnly => point!(list_reports_leftovers),
        Flaw::StatusRepairs => point!(status_only_reads),
        Flaw::StatusRemembers => point!(a_deleted_vm_is_not_found),
        Flaw::StatusSeesStrangers => point!(a_strangers_vm_of_that_name_is_not_found),
        Flaw::TakesTheFirstOfSeveral => point!(several_vms_of_a_machine_are_out_of_range),
        Flaw::ForbiddenIsUnknown => point!(every_refusal_has_its_code),
        Flaw::OutageIsNotFound => point!(an_outage_is_never_not_found),
        Flaw::ForgetsTheWait => point!(throttling_carries_the_wait),
        Flaw::QuotaIsInternal => point!(the_clouds_own_errors_have_their_codes),
        Flaw::ShowsTheToken => point!(no_message_shows_a_credential),
        Flaw::ShowsTheTokenEncoded => point!(no_message_shows_a_credential),
        Flaw::BadTokenIsInternal => point!(refused_credentials_are_unauthenticated),
        Flaw::KeepsTheOldToken => point!(a_rotated_credential_is_used_at_once),
        Flaw::AcceptsNoToken => point!(every_missing_credential_is_named),
        Flaw::IgnoresTheDeadline => point!(a_hanging_cloud_ends_with_the_deadline),
        Flaw::SaysDoneTooEarly => point!(initialization_converges),
        Flaw::TrimsUserData => point!(user_data_arrives_to_the_byte),
        Flaw::SendsAnyLength => point!(user_data_over_the_limit_is_refused),
        Flaw::SpellsListedIdsAnew => point!(every_call_names_the_vm_alike),
        Flaw::KnowsOneSpelling => point!(every_spelling_of_an_id_is_understood),
        Flaw::TakesAnyId => point!(ids_of_other_clouds_are_refused),
        Flaw::DefaultsOverwrite => point!(defaults_keep_what_was_written),
        Flaw::DefaultsGrow => point!(defaults_keep_what_was_written),
        Flaw::DefaultsReplaceGarbage => point!(unreadable_specs_are_left_alone),
        Flaw::RefusesItsOwnDefaults => point!(the_valid_spec_is_accepted),
        Flaw::OptionalZone => point!(every_missing_field_is_named),
        Flaw::ClaimsEveryVolume => point!(volumes_of_others_are_skipped),
        Flaw::ForgetsARule => point!(every_mistake_names_a_listed_rule),
        Flaw::NamesARuleOfOthers => point!(every_mistake_names_a_listed_rule),
        Flaw::DoublesWhatHasNoUid => point!(a_vm_of_that_name_without_a_uid_is_taken_up),
        Flaw::NeedsAWholeClass => point!(vms_of_a_class_with_mistakes_are_listed_and_deleted),
        Flaw::ListsNoUid => point!(every_call_names_the_vm_alike),
        Flaw::HasNoName => point!(the_provider_introduces_itself),
    }
}
