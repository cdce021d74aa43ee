//! Asks every point of the contract, as many at once as the bench can carry.

use std::pin::Pin;
use std::time::Duration;

use futures::{StreamExt as _, stream};

use super::{
    Bench, Broken, Report, Verdict, creation, deadlines, deletion, delivery, failures, identity,
    initialization, interruption, listing, looking_up, rules, secrecy, unreadable,
};

type Point<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// A point that takes longer hangs. Some make thirty VMs, on real services several seconds each.
const LONGEST_POINT: Duration = Duration::from_secs(900);

/// Asks all points, each on clouds of its own, and goes on after a broken one.
pub async fn run_all(bench: &dyn Bench) -> Report {
    let mut points: Vec<(&'static str, Point<'_>)> = Vec::new();
    macro_rules! ask {
        ($($topic:ident: $($point:ident)+;)+) => {
            $($( points.push((stringify!($point), Box::pin($topic::$point(bench)))); )+)+
        };
    }
    ask! {
        rules:
            the_provider_introduces_itself
            the_valid_spec_is_accepted
            defaults_keep_what_was_written
            unreadable_specs_are_left_alone
            every_missing_field_is_named
            every_mistake_names_a_listed_rule
            volumes_of_others_are_skipped;
        identity:
            every_call_names_the_vm_alike
            every_spelling_of_an_id_is_understood
            ids_of_other_clouds_are_refused;
        creation:
            create_twice_makes_one_vm
            create_after_a_lost_reply_makes_one_vm
            create_while_lists_lag_makes_one_vm
            a_strangers_vm_of_that_name_stops_create_and_survives
            a_vm_of_that_name_without_a_uid_is_taken_up
            neighbouring_names_stay_apart
            a_refused_creation_is_cleaned_up;
        interruption:
            a_creation_interrupted_at_any_call_converges
            a_creation_dropped_at_any_call_converges
            a_creation_given_up_at_any_call_leaves_nothing
            a_deletion_interrupted_at_any_call_leaves_nothing;
        deletion:
            deleting_nothing_is_success
            delete_without_an_id_finds_the_vm
            an_orphan_is_deleted_by_its_id
            delete_refuses_vms_of_strangers
            delete_keeps_volumes
            delete_collects_leftovers;
        listing:
            list_without_a_scope_is_refused
            list_is_complete_over_pages
            list_is_complete_or_an_error
            list_leaves_out_strangers
            list_reports_leftovers;
        unreadable:
            vms_of_a_class_with_mistakes_are_listed_and_deleted;
        looking_up:
            status_only_reads
            a_deleted_vm_is_not_found
            a_strangers_vm_of_that_name_is_not_found
            several_vms_of_a_machine_are_out_of_range;
        failures:
            every_refusal_has_its_code
            an_outage_is_never_not_found
            throttling_carries_the_wait
            the_clouds_own_errors_have_their_codes;
        secrecy:
            no_message_shows_a_credential
            refused_credentials_are_unauthenticated
            a_rotated_credential_is_used_at_once
            every_missing_credential_is_named;
        deadlines:
            a_hanging_cloud_ends_with_the_deadline;
        initialization:
            initialization_converges;
        delivery:
            user_data_arrives_to_the_byte
            user_data_over_the_limit_is_refused;
    }
    let asked = points.into_iter().map(async |(name, point)| {
        let verdict = tokio::time::timeout(LONGEST_POINT, point).await.unwrap_or_else(|_| {
            Err(Broken(format!("the point must end; it was still going on after {LONGEST_POINT:?}")))
        });
        (name, verdict)
    });
    Report { verdicts: stream::iter(asked).buffered(bench.at_once().max(1)).collect().await }
}
