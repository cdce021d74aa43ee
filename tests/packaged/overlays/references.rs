//! Whether what objects name is there: the objects of one build, seen as a whole.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Kinds without a namespace, of those that we ship.
const CLUSTER_WIDE: [&str; 8] = [
    "Namespace",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];

/// Secrets that somebody makes who is no object of ours: the user, or the webhook itself.
const MADE_BY_OTHERS: [&str; 2] = ["millwright-target-kubeconfig", "millwright-webhook-tls"];

/// The objects of one build.
pub(crate) struct Objects {
    all: Vec<Value>,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn name(object: &Value) -> &str {
    text(&object["metadata"]["name"])
}

fn namespace(object: &Value) -> &str {
    text(&object["metadata"]["namespace"])
}

fn is_within(selector: &Value, labels: &Value) -> bool {
    let selector: &Map<String, Value> = selector.as_object().expect("a selector of ours has labels");
    !selector.is_empty() && selector.iter().all(|(key, value)| labels[key] == *value)
}

impl Objects {
    pub(crate) fn new(all: Vec<Value>) -> Self {
        Self { all }
    }

    pub(crate) fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.all.iter().filter(move |object| object["kind"] == kind)
    }

    fn has(&self, kind: &str, in_namespace: &str, called: &str) -> bool {
        self.of(kind).any(|object| name(object) == called && namespace(object) == in_namespace)
    }

    /// What names something that is not there.
    pub(crate) fn dangling(&self) -> Vec<String> {
        let mut found = Vec::new();
        for object in &self.all {
            let about = |what: String| format!("{} {}: {what}", text(&object["kind"]), name(object));
            found.extend(self.dangling_of(object).into_iter().map(about));
        }
        found
    }

    fn dangling_of(&self, object: &Value) -> Vec<String> {
        let kind = text(&object["kind"]);
        let is_cluster_wide = CLUSTER_WIDE.contains(&kind);
        let mut found = Vec::new();
        if is_cluster_wide != namespace(object).is_empty() {
            found.push(format!("namespace {:?}", namespace(object)));
        }
        match kind {
            "RoleBinding" | "ClusterRoleBinding" => found.extend(self.of_binding(object)),
            "Deployment" => found.extend(self.of_deployment(object)),
            "Service" => found.extend(self.of_service(object)),
            "PodDisruptionBudget" => {
                found.extend(self.of_selector(object, &object["spec"]["selector"]["matchLabels"]))
            }
            "NetworkPolicy" => {
                found.extend(self.of_selector(object, &object["spec"]["podSelector"]["matchLabels"]))
            }
            "ServiceMonitor" => found.extend(self.of_monitor(object)),
            "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => {
                found.extend(self.of_registration(object));
            }
            "Certificate" => found.extend(self.of_certificate(object)),
            "Issuer" => found.extend(self.of_issuer(object)),
            "ValidatingAdmissionPolicyBinding" => {
                let policy = text(&object["spec"]["policyName"]);
                if !self.has("ValidatingAdmissionPolicy", "", policy) {
                    found.push(format!("policy {policy}"));
                }
            }
            "Secret" => {
                let account = &object["metadata"]["annotations"]["kubernetes.io/service-account.name"];
                if account.is_string() && !self.has("ServiceAccount", namespace(object), text(account)) {
                    found.push(format!("account {account}"));
                }
            }
            _ => {}
        }
        found
    }

    fn of_binding(&self, binding: &Value) -> Vec<String> {
        let role = &binding["roleRef"];
        let place = if role["kind"] == "Role" { namespace(binding) } else { "" };
        let mut found = Vec::new();
        if !self.has(text(&role["kind"]), place, text(&role["name"])) {
            found.push(format!("role {role}"));
        }
        for subject in list(&binding["subjects"]) {
            if !self.has("ServiceAccount", text(&subject["namespace"]), text(&subject["name"])) {
                found.push(format!("subject {subject}"));
            }
        }
        found
    }

    fn of_deployment(&self, deployment: &Value) -> Vec<String> {
        let template = &deployment["spec"]["template"];
        let pod = &template["spec"];
        let here = namespace(deployment);
        let mut found = Vec::new();
        let account = text(&pod["serviceAccountName"]);
        if !self.has("ServiceAccount", here, account) {
            found.push(format!("account {account}"));
        }
        if !is_within(&deployment["spec"]["selector"]["matchLabels"], &template["metadata"]["labels"]) {
            found.push("selector".to_owned());
        }
        for rule in list(&pod["topologySpreadConstraints"]) {
            if !is_within(&rule["labelSelector"]["matchLabels"], &template["metadata"]["labels"]) {
                found.push(format!("spread {rule}"));
            }
        }
        let is_built_in = |class: &str| class.is_empty() || class.starts_with("system-");
        let class = text(&pod["priorityClassName"]);
        if !is_built_in(class) && !self.has("PriorityClass", "", class) {
            found.push(format!("priority class {class}"));
        }
        for secret in list(&pod["volumes"]).filter_map(|volume| volume["secret"]["secretName"].as_str()) {
            let issued = self.of("Certificate").any(|one| one["spec"]["secretName"] == secret);
            if !issued && !self.has("Secret", here, secret) && !MADE_BY_OTHERS.contains(&secret) {
                found.push(format!("secret {secret}"));
            }
        }
        let volumes: BTreeSet<&str> = list(&pod["volumes"]).map(|volume| text(&volume["name"])).collect();
        for container in list(&pod["containers"]) {
            for mount in
                list(&container["volumeMounts"]).filter(|mount| !volumes.contains(text(&mount["name"])))
            {
                found.push(format!("mount {mount}"));
            }
            // Arguments follow the namespace only by way of the variable.
            let args: Vec<&str> = list(&container["args"]).map(text).collect();
            let env: Vec<&str> = list(&container["env"]).map(|one| text(&one["name"])).collect();
            if !args.contains(&"--namespace=$(POD_NAMESPACE)") || !env.contains(&"POD_NAMESPACE") {
                found.push(format!("arguments {args:?}"));
            }
        }
        found
    }

    fn pods<'a>(&'a self, here: &'a str, labels: &'a Value) -> impl Iterator<Item = &'a Value> {
        let templates = self.of("Deployment").filter(move |deployment| namespace(deployment) == here);
        let templates = templates.map(|deployment| &deployment["spec"]["template"]);
        templates.filter(move |template| is_within(labels, &template["metadata"]["labels"]))
    }

    fn of_selector(&self, object: &Value, labels: &Value) -> Option<String> {
        self.pods(namespace(object), labels).next().is_none().then(|| format!("pods {labels}"))
    }

    fn of_service(&self, service: &Value) -> Vec<String> {
        let labels = &service["spec"]["selector"];
        let pods: Vec<_> = self.pods(namespace(service), labels).collect();
        let [pod] = pods.as_slice() else { return vec![format!("{} sorts of pods {labels}", pods.len())] };
        let ports = list(&pod["spec"]["containers"]).flat_map(|container| list(&container["ports"]));
        let names: BTreeSet<&str> = ports.map(|port| text(&port["name"])).collect();
        let asked = list(&service["spec"]["ports"]).map(|port| text(&port["targetPort"]));
        asked.filter(|port| !names.contains(port)).map(|port| format!("port {port}")).collect()
    }

    fn of_monitor(&self, monitor: &Value) -> Vec<String> {
        let labels = &monitor["spec"]["selector"]["matchLabels"];
        let services = self.of("Service").filter(|service| namespace(service) == namespace(monitor));
        let services: Vec<_> =
            services.filter(|service| is_within(labels, &service["metadata"]["labels"])).collect();
        let [service] = services.as_slice() else { return vec![format!("{} services", services.len())] };
        let ports: BTreeSet<&str> = list(&service["spec"]["ports"]).map(|port| text(&port["name"])).collect();
        let asked = list(&monitor["spec"]["endpoints"]).map(|endpoint| text(&endpoint["port"]));
        asked.filter(|port| !ports.contains(port)).map(|port| format!("port {port}")).collect()
    }

    fn of_registration(&self, registration: &Value) -> Vec<String> {
        let mut found = Vec::new();
        for webhook in list(&registration["webhooks"]) {
            let service = &webhook["clientConfig"]["service"];
            if webhook["clientConfig"]["url"].is_string() {
                continue;
            }
            let (place, called) = (text(&service["namespace"]), text(&service["name"]));
            let port_is_there =
                |one: &Value| list(&one["spec"]["ports"]).any(|port| port["port"] == service["port"]);
            let there = self.of("Service").find(|one| name(one) == called && namespace(one) == place);
            if !there.is_some_and(port_is_there) {
                found.push(format!("service {service}"));
            }
        }
        if let Some(from) = registration["metadata"]["annotations"]["cert-manager.io/inject-ca-from"].as_str()
        {
            let is_there =
                from.split_once('/').is_some_and(|(place, called)| self.has("Certificate", place, called));
            if !is_there {
                found.push(format!("certificate {from}"));
            }
        }
        found
    }

    fn of_certificate(&self, certificate: &Value) -> Vec<String> {
        let spec = &certificate["spec"];
        let issuer = text(&spec["issuerRef"]["name"]);
        let mut found = Vec::new();
        if !self.has("Issuer", namespace(certificate), issuer) {
            found.push(format!("issuer {issuer}"));
        }
        // A serving certificate is for a Service of ours.
        for host in list(&spec["dnsNames"]).map(text) {
            let mut parts = host.split('.');
            let (called, place) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            if !self.has("Service", place, called) {
                found.push(format!("host {host}"));
            }
        }
        found
    }

    fn of_issuer(&self, issuer: &Value) -> Option<String> {
        let secret = issuer["spec"]["ca"]["secretName"].as_str()?;
        let issued = self.of("Certificate").any(|one| one["spec"]["secretName"] == secret);
        (!issued).then(|| format!("secret {secret}"))
    }
}
