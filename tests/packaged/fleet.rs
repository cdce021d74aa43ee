//! One test's own world: a namespace with the rights of config/rbac, a simulated cloud, a controller, and a watch that remembers.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kube::{Api, ResourceExt as _};
use millwright_api::{Machine, MachineDeployment};
use millwright_simcloud::{Cloud, Config, Running, SimCloud, VmView};
use millwright_testbed::kubectl::Said;
use millwright_testbed::{Identity, LaunchError};
use serde_json::{Value, json};

use crate::controller::Controller;
use crate::guests::Guest;
use crate::history::{History, is_available};
use crate::house::{House, OLD_TIMES, house, write};
use crate::kube_names::EVERYTHING;
use crate::manifests;
use crate::patience::poll;

/// What the simulated cloud of each test wants to be shown.
const TOKEN: &str = "cloud-token-that-must-not-be-printed";

/// Whether the webhook judges the objects of a fleet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Webhook {
    Asked,
    NotThereYet,
}

/// One test's own world.
pub(crate) struct Fleet {
    pub(crate) house: Arc<House>,
    pub(crate) namespace: String,
    pub(crate) history: History,
    pub(crate) controllers: Vec<Controller>,
    logs: Vec<PathBuf>,
    running: Option<Running>,
    folder: PathBuf,
    files: Cell<u32>,
    guest: Guest,
}

/// The objects of a list that kubectl printed.
pub(crate) fn items(list: Option<Value>) -> Vec<Value> {
    match list.map(|mut list| list["items"].take()) {
        Some(Value::Array(items)) => items,
        other => panic!("kubectl printed no list but {other:?}"),
    }
}

impl Fleet {
    /// A fleet with a Secret, a class `v1` and a controller.
    pub(crate) async fn start(prefix: &str, flags: &[&str]) -> Self {
        let mut fleet = Self::without_controller(prefix, Webhook::Asked).await;
        fleet.apply(&fleet.class("v1")).await;
        fleet.start_controller(flags).await;
        fleet
    }

    /// A fleet with a Secret.
    pub(crate) async fn without_controller(prefix: &str, webhook: Webhook) -> Self {
        Self::within(Arc::clone(house().await), prefix, webhook).await
    }

    /// A fleet with a Secret in a certain house.
    pub(crate) async fn within(house: Arc<House>, prefix: &str, webhook: Webhook) -> Self {
        let guest = Guest::arrives();
        let namespace = house.testbed.namespace(prefix).await.unwrap();
        let config =
            Config { kubeconfig: Some(house.testbed.kubeconfig(Identity::Simcloud)), ..Config::new(TOKEN) };
        let running = SimCloud::start(config).await.unwrap();
        house.secrets.add(TOKEN);
        let folder = house.folder(&namespace);
        let history = History::watch(&house.client, &namespace, running.cloud().clone());
        let fleet = Self {
            house,
            namespace,
            history,
            controllers: Vec::new(),
            logs: Vec::new(),
            running: Some(running),
            folder,
            files: Cell::default(),
            guest,
        };
        if webhook == Webhook::NotThereYet {
            let label = format!("{OLD_TIMES}=yes");
            fleet.house.kubectl_must(&["label", "namespace", &fleet.namespace, &label]).await;
        }
        fleet.grant().await;
        fleet.apply(&fleet.secret()).await;
        fleet.until("the watch has begun", async |fleet| fleet.history.has_begun().then_some(())).await;
        fleet
    }

    /// Renders config/rbac/control into this namespace, without its service account: the process logs in as the one in millwright-system,
    /// and kustomize lets bindings follow an account that moves.
    async fn grant(&self) {
        let folder = self.folder.join("rights");
        std::fs::create_dir_all(&folder).unwrap();
        let root = millwright_testbed::root().canonicalize().unwrap();
        let ups = "../".repeat(folder.canonicalize().unwrap().components().count() - 1);
        let base = format!("{ups}{}/config/rbac/control", root.display().to_string().trim_start_matches('/'));
        let no_account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "any" }, "$patch": "delete",
        });
        let kustomization = json!({
            "apiVersion": "kustomize.config.k8s.io/v1beta1",
            "kind": "Kustomization",
            "namespace": self.namespace,
            "resources": [base],
            "patches": [{ "target": { "kind": "ServiceAccount" }, "patch": no_account.to_string() }],
        });
        write(&folder.join("kustomization.yaml"), &kustomization);
        self.house.kubectl_must(&["apply", "-k", &folder.display().to_string()]).await;
    }

    /// Starts a controller, in addition to those that run.
    pub(crate) async fn start_controller(&mut self, flags: &[&str]) {
        let controller = Controller::start_in(&self.house, &self.namespace, flags).await;
        self.logs.push(controller.log().to_owned());
        self.controllers.push(controller);
    }

    /// Plays the kubelet of the controller's pod: while `work` goes on, a controller that ends is started again, until one is ready. Yields
    /// how those ended that did.
    pub(crate) async fn keep_controller(
        &mut self,
        flags: &[&str],
        work: impl Future<Output = ()>,
    ) -> Vec<String> {
        let mut ends = Vec::new();
        let is_over = Cell::new(false);
        let keep = async {
            while !is_over.get() || self.controllers[0].ended().is_some() {
                if let Some(ended) = self.controllers[0].ended() {
                    let kubeconfig = self.house.testbed.kubeconfig(Identity::Controller);
                    ends.push(ended.status.to_string());
                    match Controller::start(&self.house, &kubeconfig, &self.namespace, flags).await {
                        Ok(controller) => {
                            self.logs.push(controller.log().to_owned());
                            self.controllers[0] = controller;
                        }
                        Err(LaunchError::Exited { status, .. }) => ends.push(status.to_string()),
                        Err(error) => panic!("{error}"),
                    }
                }
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        };
        let work = async {
            work.await;
            is_over.set(true);
        };
        tokio::join!(keep, work);
        ends
    }

    /// Ends the controller that was started first, as `kill -9` does.
    pub(crate) fn kill_controller(&mut self) {
        drop(self.controllers.remove(0));
    }

    /// The cloud, as its operator sees it.
    pub(crate) fn cloud(&self) -> &Cloud {
        self.running().cloud()
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("it is taken only when the fleet closes")
    }

    /// Where the cloud listens.
    pub(crate) fn endpoint(&self) -> String {
        self.running().url()
    }

    /// The Secret that this fleet's classes name.
    pub(crate) fn secret(&self) -> Value {
        self.secret_with(&self.house.testbed.bootstrap_kubeconfig())
    }

    /// The same for VMs that join by this kubeconfig.
    pub(crate) fn secret_with(&self, kubeconfig: &str) -> Value {
        manifests::secret(TOKEN, kubeconfig)
    }

    /// A class of this fleet's cloud.
    pub(crate) fn class(&self, name: &str) -> Value {
        manifests::class(name, &self.namespace, &self.endpoint())
    }

    /// A deployment called as the namespace is, because nodes, which are called like machines, have no namespaces.
    pub(crate) fn deployment(&self, class: &str, replicas: u32) -> Value {
        manifests::deployment(&self.namespace, class, replicas)
    }

    /// Calls kubectl in this namespace, whatever comes of it.
    pub(crate) async fn kubectl(&self, arguments: &[&str]) -> Said {
        let namespace = ["--namespace", &self.namespace];
        self.house.kubectl(&[&namespace, arguments].concat()).await
    }

    /// Calls kubectl in this namespace, which must succeed.
    pub(crate) async fn kubectl_must(&self, arguments: &[&str]) -> String {
        let namespace = ["--namespace", &self.namespace];
        self.house.kubectl_must(&[&namespace, arguments].concat()).await
    }

    /// `kubectl get … -o json`, if it is there.
    pub(crate) async fn get(&self, what: &[&str]) -> Option<Value> {
        let said = self.kubectl(&[&["get", "-o", "json"], what].concat()).await;
        said.status.success().then(|| serde_json::from_str(&said.stdout).unwrap())
    }

    /// `kubectl patch` of the deployment.
    pub(crate) async fn patch(&self, patch: &Value) {
        let patch = patch.to_string();
        let arguments = ["patch", "machinedeployment", &self.namespace, "--type=merge", "--patch", &patch];
        self.kubectl_must(&arguments).await;
    }

    /// `kubectl apply`, whatever comes of it.
    pub(crate) async fn try_apply(&self, object: &Value) -> Said {
        let file = self.folder.join(format!("{}.json", self.files.get()));
        self.files.set(self.files.get() + 1);
        write(&file, object);
        self.kubectl(&["apply", "-f", &file.display().to_string()]).await
    }

    /// `kubectl apply`, which must succeed.
    pub(crate) async fn apply(&self, object: &Value) {
        let said = self.try_apply(object).await;
        assert!(said.status.success(), "{}", said.stderr);
    }

    /// `kubectl scale` of the deployment.
    pub(crate) async fn scale(&self, replicas: u32) {
        let replicas = format!("--replicas={replicas}");
        self.kubectl_must(&["scale", "machinedeployment", &self.namespace, &replicas]).await;
    }

    /// Names of the machines that do their work.
    pub(crate) fn available(&self) -> Vec<String> {
        let now = self.history.now();
        now.iter().filter(|(_, machine)| is_available(machine)).map(|(name, _)| name.clone()).collect()
    }

    /// The VM of a machine.
    pub(crate) fn vm(&self, machine: &str) -> Option<VmView> {
        self.cloud().vms().into_iter().find(|vm| vm.name == machine)
    }

    /// Waits until the deployment has exactly `count` machines, all available, each with its VM, and says so in its status.
    pub(crate) async fn settled(&self, count: usize) -> Vec<String> {
        self.until(&format!("{count} machines run and nothing else is left"), async |fleet| {
            let available = fleet.available();
            let is_all = available.len() == count
                && fleet.history.now().len() == count
                && fleet.cloud().vms().len() == count;
            (is_all && fleet.status_says(count).await).then_some(available)
        })
        .await
    }

    async fn status_says(&self, count: usize) -> bool {
        let api: Api<MachineDeployment> = Api::namespaced(self.house.client.clone(), &self.namespace);
        let Ok(Some(deployment)) = api.get_opt(&self.namespace).await else { return count == 0 };
        let (spec, status) = (&deployment.spec, &deployment.status);
        Some(status.observed_generation) == deployment.metadata.generation
            && [spec.replicas, status.replicas, status.updated_replicas, status.available_replicas]
                .iter()
                .all(|number| usize::try_from(*number) == Ok(count))
    }

    /// Waits until the last operation of some machine tells all of these things.
    pub(crate) async fn told(&self, parts: &[&str]) -> Arc<Machine> {
        self.until(&format!("a machine's last operation tells {parts:?}"), async |fleet| {
            fleet.history.now().into_values().find(|machine| {
                let text = &machine.status.last_operation.description;
                parts.iter().all(|part| text.contains(part))
            })
        })
        .await
    }

    /// Waits until there is something to see.
    pub(crate) async fn until<T>(&self, what: &str, mut look: impl AsyncFnMut(&Self) -> Option<T>) -> T {
        let seen = poll(async || look(self).await).await;
        seen.unwrap_or_else(|| panic!("not seen: {what}\n{}", self.describe()))
    }

    fn describe(&self) -> String {
        let now = self.history.now();
        let machines = now.values().map(|machine| {
            let status = &machine.status;
            let phase = &status.current_status.phase;
            format!("machine {} {phase}: {}\n", machine.name_any(), status.last_operation.description)
        });
        let vms = self.cloud().vms().into_iter().map(|vm| format!("VM {} {}\n", vm.name, vm.phase));
        let logs = self.controllers.iter().map(Controller::last_lines);
        machines.chain(vms).chain(logs).collect()
    }

    /// Ends everything and looks back: the controllers end in good order, nothing panicked, no secret was told, no VM and no
    /// interface or disk of one outlived its machine.
    pub(crate) async fn close(mut self) {
        let told = self.kubectl_must(&["get", EVERYTHING, "-o", "json"]).await;
        self.house.secrets.must_not_be_in("what kubectl shows", &told);
        for controller in self.controllers.drain(..) {
            controller.end().await;
        }
        for log in &self.logs {
            self.house.secrets.log_must_be_clean(log);
        }
        self.house.secrets.log_must_be_clean(self.house.webhook.process.log());
        assert_eq!(self.history.outlived(self.cloud()), [""; 0]);
        if let Some(running) = self.running.take() {
            running.stop().await;
        }
        self.guest.leaves_content();
    }
}
