//! The families by name. Dashboards read names and labels: they are part of the API.

use super::sample_sheet::GaugeFamily;

macro_rules! families {
    ($($constant:ident = $name:literal [$($label:literal),*] $help:literal,)+) => {
        $(pub(super) static $constant: GaugeFamily =
            GaugeFamily { name: $name, help: $help, labels: &[$($label),*] };)+

        /// Every family.
        pub(super) static ALL: &[&GaugeFamily] = &[$(&$constant),+];
    };
}

families! {
    FROZEN = "mcm_machine_controller_frozen" []
        "1 while nothing is judged because an API server does not answer, else 0.",
    MACHINES = "mcm_machine_items_total" []
        "Machines there are.",
    MACHINE_PHASE = "mcm_machine_current_status_phase" ["name", "namespace"]
        "Phase of a machine: Terminating -4, Failed -3, CrashLoopBackOff -2, Unknown -1, Pending 0, Running 1, others 0.",
    MACHINE_INFO = "mcm_machine_info"
        ["name", "namespace", "createdAt", "spec_provider_id", "spec_class_api_group", "spec_class_kind",
         "spec_class_name", "node_name"]
        "1 for each machine.",
    MACHINE_CONDITION = "mcm_machine_status_condition" ["name", "namespace", "condition"]
        "Condition of a machine's node: True 1, False 0, Unknown 2.",

    SETS = "mcm_machine_set_items_total" []
        "Machine sets there are.",
    SET_INFO = "mcm_machine_set_info"
        ["name", "namespace", "createdAt", "spec_machine_class_api_group", "spec_machine_class_kind",
         "spec_machine_class_name"]
        "1 for each machine set.",
    SET_REPLICAS_WANTED = "mcm_machine_set_info_spec_replicas" ["name", "namespace"]
        "Machines that a set shall have.",
    SET_MIN_READY_SECONDS = "mcm_machine_set_info_spec_min_ready_seconds" ["name", "namespace"]
        "spec.minReadySeconds of a machine set.",
    SET_CONDITION = "mcm_machine_set_status_condition" ["name", "namespace", "condition"]
        "Condition of a machine set: True 1, False 0, Unknown 2.",
    SET_FAILED_MACHINES = "mcm_machine_set_failed_machines"
        ["name", "namespace", "failed_machine_name", "failed_machine_provider_id", "failed_machine_owner_ref",
         "failed_machine_last_operation_state", "failed_machine_last_operation_machine_operation_type"]
        "1 for each machine of a set whose last operation failed.",
    SET_AVAILABLE = "mcm_machine_set_status_available_replicas" ["name", "namespace"]
        "Machines of a set in phase Available or Running.",
    SET_LABELLED = "mcm_machine_set_status_fully_labelled_replicas" ["name", "namespace"]
        "Machines of a set that carry all labels of its template.",
    SET_READY = "mcm_machine_set_status_ready_replicas" ["name", "namespace"]
        "Machines of a set in phase Running.",
    SET_REPLICAS = "mcm_machine_set_status_replicas" ["name", "namespace"]
        "Machines of a set, also those that are being deleted.",

    IN_WORK = "millwright_machines_in_work" ["name", "namespace"]
        "Machines of a deployment that are down, being replaced, made or scaled away: those too many and those too few.",
    ROLLOUTS_HELD = "millwright_rollouts_held" ["namespace", "reason"]
        "Rollouts that wait, by the reason of their condition RolloutHeld.",

    DEPLOYMENTS = "mcm_machine_deployment_items_total" []
        "Machine deployments there are.",
    DEPLOYMENT_INFO = "mcm_machine_deployment_info" ["name", "namespace", "createdAt", "spec_strategy_type"]
        "1 for each machine deployment.",
    DEPLOYMENT_PAUSED = "mcm_machine_deployment_info_spec_paused" ["name", "namespace"]
        "1 while rollouts of a deployment are paused, else 0.",
    DEPLOYMENT_REPLICAS_WANTED = "mcm_machine_deployment_info_spec_replicas" ["name", "namespace"]
        "Machines that a deployment shall have.",
    DEPLOYMENT_MIN_READY_SECONDS = "mcm_machine_deployment_info_spec_min_ready_seconds" ["name", "namespace"]
        "spec.minReadySeconds of a machine deployment.",
    DEPLOYMENT_MAX_SURGE = "mcm_machine_deployment_info_spec_rolling_update_max_surge" ["name", "namespace"]
        "Machines above the wanted number that a rollout may have; a percentage as the count it stands for.",
    DEPLOYMENT_MAX_UNAVAILABLE = "mcm_machine_deployment_info_spec_rolling_update_max_unavailable" ["name", "namespace"]
        "Machines below the wanted number that a rollout may have; a percentage as the count it stands for.",
    DEPLOYMENT_HISTORY_LIMIT = "mcm_machine_deployment_info_spec_revision_history_limit" ["name", "namespace"]
        "Old machine sets that a deployment keeps; absent when it keeps all.",
    DEPLOYMENT_DEADLINE = "mcm_machine_deployment_info_spec_progress_deadline_seconds" ["name", "namespace"]
        "Seconds without progress after which a rollout counts as stuck; absent when there is no such time.",
    DEPLOYMENT_ROLLBACK = "mcm_machine_deployment_info_spec_rollback_to_revision" ["name", "namespace"]
        "Revision that a deployment shall go back to; absent when it need not.",
    DEPLOYMENT_CONDITION = "mcm_machine_deployment_status_condition" ["name", "namespace", "condition"]
        "Condition of a machine deployment: True 1, False 0, Unknown 2.",
    DEPLOYMENT_FAILED_MACHINES = "mcm_machine_deployment_failed_machines"
        ["name", "namespace", "failed_machine_name", "failed_machine_provider_id", "failed_machine_owner_ref",
         "failed_machine_last_operation_state", "failed_machine_last_operation_machine_operation_type"]
        "1 for each machine of a deployment whose last operation failed.",
    DEPLOYMENT_AVAILABLE = "mcm_machine_deployment_status_available_replicas" ["name", "namespace"]
        "Machines of a deployment in phase Available or Running.",
    DEPLOYMENT_UNAVAILABLE = "mcm_machine_deployment_status_unavailable_replicas" ["name", "namespace"]
        "Machines of a deployment that are wanted and not available.",
    DEPLOYMENT_READY = "mcm_machine_deployment_status_ready_replicas" ["name", "namespace"]
        "Machines of a deployment in phase Running.",
    DEPLOYMENT_UPDATED = "mcm_machine_deployment_status_updated_replicas" ["name", "namespace"]
        "Machines of a deployment's newest set.",
    DEPLOYMENT_COLLISIONS = "mcm_machine_deployment_status_collision_count" ["name", "namespace"]
        "Names of machine sets that were taken when a deployment wanted them; absent before the first.",
    DEPLOYMENT_REPLICAS = "mcm_machine_deployment_status_replicas" ["name", "namespace"]
        "Machines of a deployment, also those that are being deleted.",
}
