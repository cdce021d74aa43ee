//! What the demo says at its end: which step took how long, and how to go on alone.

use std::time::Duration;

use super::{stage::Stage, steps::Told};
use crate::{identity::Identity, program::Program};

/// The steps with their times.
pub(super) fn summary(told: &[Told], total: Duration) -> String {
    let seconds = |duration: Duration| format!("{:>6.1} s", duration.as_secs_f64());
    let steps = told.iter().map(|Told { title, took }| format!("{}  {title}\n", seconds(*took)));
    format!("{}{}  all of it, with the start\n", steps.collect::<String>(), seconds(total))
}

/// How to use what runs.
pub(super) fn invitation(stage: &Stage) -> String {
    let kubeconfig = stage.testbed.kubeconfig(Identity::Admin);
    let kubectl = stage.testbed.executable(Program::Kubectl);
    let path = kubectl.parent().unwrap_or(&kubectl).display();
    format!(
        "export KUBECONFIG={}\n\
         export PATH={path}:$PATH\n\
         kubectl scale machinedeployment/workers --replicas=3\n\
         kubectl get machinedeployments,machinesets,machines,nodes\n\
         kubectl get events --watch\n\
         \n\
         logs: {}\n\
         simulated cloud: {} (its token: {})",
        kubeconfig.display(),
        stage.testbed.data_dir().join("logs").display(),
        stage.cloud.url(),
        stage.testbed.data_dir().join("simcloud-token").display(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_a_line_for_each_step_and_one_for_all() {
        let told = [Told { title: "1. Birth", took: Duration::from_millis(3210) }];
        assert_eq!(
            summary(&told, Duration::from_secs(70)),
            "   3.2 s  1. Birth\n  70.0 s  all of it, with the start\n"
        );
    }
}
