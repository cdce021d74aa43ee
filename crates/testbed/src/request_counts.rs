//! What the API server counted about its requests (`apiserver_request_total`): parsed, added up, and compared with an earlier reading.
//! Which requests belong to whom can't be seen here; start a testbed without controllers when only one client shall count.

use std::{collections::BTreeMap, fmt};

/// One kind of request: what was done to what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKind {
    /// The API server's verb in capitals: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, …
    pub verb: String,
    /// The API group, empty for the core group.
    pub group: String,
    /// The plural name of the kind; empty for paths that are no resources (`/metrics`, `/version`).
    pub resource: String,
    /// `status`, `eviction`, …, or empty.
    pub subresource: String,
}

impl RequestKind {
    /// Whether the request asks the store to change something.
    pub fn is_write(&self) -> bool {
        matches!(self.verb.as_str(), "POST" | "PUT" | "PATCH" | "APPLY" | "DELETE" | "DELETECOLLECTION")
    }
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        Ok(())
    }
}

/// Requests by kind and by HTTP status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestCounts {
    counts: BTreeMap<(RequestKind, u16), u64>,
}

impl RequestCounts {
    /// Reads the API server's `/metrics`. Lines of other metrics are passed over.
    pub fn parse(metrics: &str) -> Self {
        let mut counts = BTreeMap::new();
        for (kind, code, count) in metrics.lines().filter_map(sample) {
            *counts.entry((kind, code)).or_default() += count;
        }
        Self { counts }
    }

    /// What was added since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        let added = self.counts.iter().filter_map(|(key, count)| {
            let before = earlier.counts.get(key).copied().unwrap_or_default();
            // A smaller number than before means that the API server started anew and counts from zero.
            let added = if *count >= before { count - before } else { *count };
            (added > 0).then(|| (key.clone(), added))
        });
        Self { counts: added.collect() }
    }

    /// All requests.
    pub fn requests(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The requests that ask for a change, refused ones included.
    pub fn writes(&self) -> u64 {
        self.counts.iter().filter(|((kind, _), _)| kind.is_write()).map(|(_, count)| count).sum()
    }

    /// The requests that ended with this HTTP status.
    pub fn with_code(&self, code: u16) -> u64 {
        self.counts.iter().filter(|((_, counted), _)| *counted == code).map(|(_, count)| count).sum()
    }

    /// Requests by kind, all HTTP statuses together.
    pub fn by_kind(&self) -> BTreeMap<RequestKind, u64> {
        let mut kinds = BTreeMap::new();
        for ((kind, _), count) in &self.counts {
            *kinds.entry(kind.clone()).or_default() += count;
        }
        kinds
    }
}

fn sample(line: &str) -> Option<(RequestKind, u16, u64)> {
    let rest = line.strip_prefix("apiserver_request_total{")?;
    let (labels, value) = rest.rsplit_once("} ")?;
    let mut kind = RequestKind {
        verb: String::new(),
        group: String::new(),
        resource: String::new(),
        subresource: String::new(),
    };
    let mut code = 0;
    for label in labels.split("\",") {
        let (name, value) = label.split_once("=\"")?;
        let value = value.trim_end_matches('"');
        match name {
            "verb" => value.clone_into(&mut kind.verb),
            "group" => value.clone_into(&mut kind.group),
            "resource" => value.clone_into(&mut kind.resource),
            "subresource" => value.clone_into(&mut kind.subresource),
            "code" => code = value.parse().ok()?,
            _ => {}
        }
    }
    // Prometheus writes big counters as 1.5e+06; a f64 holds every count exactly that a testbed reaches.
    let count: f64 = value.split(' ').next()?.parse().ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counters are whole and not negative"
    )]
    let count = count as u64;
    Some((kind, code, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRICS: &str = r#"# HELP apiserver_request_total [STABLE] Counter of apiserver requests
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="nodes",scope="resource",subresource="",verb="GET",version="v1"} 7
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="nodes",scope="resource",subresource="status",verb="PATCH",version="v1"} 1.5e+06
apiserver_request_total{code="409",component="apiserver",dry_run="",group="machine.sapcloud.io",resource="machines",scope="resource",subresource="status",verb="PUT",version="v1alpha1"} 3
apiserver_request_total{code="200",component="apiserver",dry_run="",group="machine.sapcloud.io",resource="machines",scope="resource",subresource="status",verb="PUT",version="v1alpha1"} 4
apiserver_request_total{code="0",component="apiserver",dry_run="",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 2
apiserver_request_duration_seconds_count{verb="GET"} 99
etcd_requests_total{operation="get"} 12
"#;

    #[test]
    fn writes_are_counted_apart_from_reads_and_watches() {
        let counts = RequestCounts::parse(METRICS);
        assert_eq!(counts.requests(), 7 + 1_500_000 + 3 + 4 + 2);
        assert_eq!(counts.writes(), 1_500_000 + 3 + 4);
        assert_eq!(counts.with_code(409), 3);
    }

    #[test]
    fn kinds_add_up_over_status_codes_and_print_as_verb_and_resource() {
        let kinds = RequestCounts::parse(METRICS).by_kind();
        let printed: Vec<_> = kinds.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
        assert_eq!(
            printed,
            ["GET nodes: 7", "PATCH nodes/status: 1500000", "PUT machines/status: 7", "WATCH pods: 2"]
        );
    }

    #[test]
    fn a_difference_leaves_out_what_did_not_change() {
        let earlier = RequestCounts::parse(METRICS);
        let later =
            RequestCounts::parse(&METRICS.replace("\"GET\",version=\"v1\"} 7", "\"GET\",version=\"v1\"} 10"));
        let added = later.since(&earlier);
        assert_eq!(added.requests(), 3);
        assert_eq!(added.by_kind().len(), 1);
        assert_eq!(added.writes(), 0);
    }

    #[test]
    fn an_api_server_that_started_anew_counts_from_zero() {
        let earlier = RequestCounts::parse(METRICS);
        let restarted = RequestCounts::parse(&METRICS.replace("} 7", "} 2"));
        assert_eq!(restarted.since(&earlier).requests(), 2);
    }

    #[test]
    fn broken_lines_are_passed_over() {
        let counts =
            RequestCounts::parse("apiserver_request_total{verb=\"GET\" 1\napiserver_request_total{} x\n\n");
        assert_eq!(counts, RequestCounts::default());
    }
}
