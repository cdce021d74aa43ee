//! Reading instances: all of a scope at once for everybody who asks, one by its id, those of a UID.

use std::sync::Arc;
use std::time::Instant;

use aws_sdk_ec2::types::{Filter, Instance};
use millwright_cloud_http::{CallFailure, Pages, Urgency};
use millwright_provider::Scope;

use crate::api_error::ApiError;
use crate::session::{Class, Session};
use crate::tag_keys::UID;

/// The largest page that EC2 gives.
pub(crate) const PAGE: i32 = 1000;
const OPERATION: &str = "DescribeInstances";
/// States of VMs that are there.
const THERE: [&str; 4] = ["pending", "running", "stopping", "stopped"];

/// Those of the scope that are there: one list, begun now or later, answers all who ask meanwhile.
pub(crate) async fn of_scope(session: &Session<'_>, scope: &Scope) -> Result<Arc<Vec<Instance>>, ApiError> {
    of_scope_since(session, scope, session.now()).await
}

/// The same by a list that began at that moment or later.
pub(crate) async fn of_scope_since(
    session: &Session<'_>,
    scope: &Scope,
    since: Instant,
) -> Result<Arc<Vec<Instance>>, ApiError> {
    let now = || session.now();
    let list = || async {
        let mut filters = scope_filters(scope);
        filters.push(filter("instance-state-name", THERE));
        filtered(session, filters).await
    };
    session.account.instances.since(scope.clone(), since, now, list).await
}

/// The one of that id, in whatever state; none when EC2 has forgotten it.
pub(crate) async fn by_id(session: &Session<'_>, id: &str) -> Result<Option<Instance>, ApiError> {
    let send = session.ec2().describe_instances().instance_ids(id).send();
    match session.call(OPERATION, Class::Read, Urgency::Poll, send).await {
        Ok(answer) => {
            let instances = answer
                .reservations
                .into_iter()
                .flatten()
                .flat_map(|held| held.instances.into_iter().flatten());
            Ok(instances.into_iter().next())
        }
        Err(error) if error.cloud_code() == Some("InvalidInstanceID.NotFound") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Those of that UID, in whatever state.
pub(crate) async fn by_uid(session: &Session<'_>, uid: &str) -> Result<Vec<Instance>, ApiError> {
    filtered(session, vec![filter(&format!("tag:{UID}"), [uid])]).await
}

async fn filtered(session: &Session<'_>, filters: Vec<Filter>) -> Result<Vec<Instance>, ApiError> {
    let mut instances = Vec::new();
    let mut pages = Pages::default();
    loop {
        let request = session.ec2().describe_instances().set_filters(Some(filters.clone())).max_results(PAGE);
        let send = request.set_next_token(pages.token().map(str::to_owned)).send();
        let answer = session.call(OPERATION, Class::Read, Urgency::Poll, send).await?;
        let page = answer.reservations.into_iter().flatten();
        instances.extend(page.flat_map(|held| held.instances.into_iter().flatten()));
        if !turn(&mut pages, OPERATION, answer.next_token)? {
            return Ok(instances);
        }
    }
}

/// Whether there is another page.
pub(crate) fn turn(
    pages: &mut Pages,
    operation: &'static str,
    next: Option<String>,
) -> Result<bool, ApiError> {
    pages.turn(next).map_err(|error| {
        let failure =
            CallFailure::Unreachable { what: operation.into(), endpoint: "EC2".into(), source: error.into() };
        ApiError::NoAnswer(failure)
    })
}

/// What carries both tags of the scope.
pub(crate) fn scope_filters(scope: &Scope) -> Vec<Filter> {
    vec![filter("tag-key", [scope.cluster.as_str()]), filter("tag-key", [scope.role.as_str()])]
}

/// A filter of EC2. In values `*`, `?` and `\` have a meaning there.
pub(crate) fn filter<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> Filter {
    let literal = |value: &str| value.replace('\\', r"\\").replace('*', r"\*").replace('?', r"\?");
    let values = values.into_iter().map(literal).collect();
    Filter::builder().name(name).set_values(Some(values)).build()
}
