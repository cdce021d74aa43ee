//! Lets requests in, hands them to whom they concern, and dresses the answers.

use std::{collections::BTreeMap, future::pending, sync::Arc, time::Instant};

use axum::{
    body::{Body, to_bytes},
    extract::{Query, State},
    response::Response,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{
    ArmError, Entry, Misfortune, Models,
    account::Account,
    addresses, catalogue, disks, entra,
    faults::Faults,
    interfaces,
    operation::Operation,
    reply::Reply,
    request::Request,
    resource::{Key, Kind},
    route::{Place, Route},
    virtual_machines, vm_delete,
};

const LARGEST_BODY: usize = 4 << 20;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) account: Mutex<Account>,
    pub(super) faults: Mutex<Faults>,
    pub(super) journal: Mutex<Vec<Entry>>,
    pub(super) violations: Arc<Mutex<Vec<String>>>,
    pub(super) models: Option<Models>,
}

pub(super) async fn serve(State(shared): State<Arc<Shared>>, request: http::Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        let error =
            ArmError::new(StatusCode::PAYLOAD_TOO_LARGE, "RequestContentTooLarge", "The body is too large.");
        return dressed(error.into(), &Method::PUT, 0);
    };
    let number = shared.account.lock().number();
    let place = Place::of(parts.uri.path());
    let entry = Entry {
        method: parts.method.clone(),
        path: parts.uri.path().to_owned(),
        operation: place
            .as_ref()
            .map_or_else(|| "nothing".to_owned(), |place| place.operation(&parts.method)),
    };
    shared.journal.lock().push(entry.clone());
    let struck = shared.faults.lock().strike(&entry);
    match struck {
        Some(Misfortune::Hang) => pending().await,
        Some(Misfortune::Refuse(error, headers)) => {
            let reply = match &place {
                Some(Place { route: Route::Token { .. } | Route::MetadataToken, .. }) => Reply::json(
                    error.status,
                    json!({ "error": error.code, "error_description": error.message }),
                ),
                _ => error.into(),
            };
            dressed(reply.with(headers), &parts.method, number)
        }
        Some(Misfortune::LoseReply) => {
            let _lost = answer(&shared, &parts, place.as_ref(), &body, None);
            pending().await
        }
        Some(Misfortune::FailLater(error)) => {
            dressed(answer(&shared, &parts, place.as_ref(), &body, Some(error)), &parts.method, number)
        }
        None => dressed(answer(&shared, &parts, place.as_ref(), &body, None), &parts.method, number),
    }
}

fn answer(
    shared: &Shared,
    parts: &Parts,
    place: Option<&Place>,
    body: &[u8],
    doom: Option<ArmError>,
) -> Reply {
    let Some(place) = place else {
        shared.violations.lock().push(format!("{} {} is not served", parts.method, parts.uri));
        return ArmError::missing("InvalidResourceType", "The resource type could not be found.").into();
    };
    let now = Instant::now();
    if let Route::Token { tenant } = &place.route {
        let form = String::from_utf8_lossy(body);
        return shared.account.lock().tokens.answer(tenant, &form, now);
    }
    let request = match read(parts, body, doom, now) {
        Ok(request) => request,
        Err(error) => return error.into(),
    };
    if let Route::Discovery { tenant } = &place.route {
        return entra::discovery(&request.base, tenant);
    }
    if place.route == Route::MetadataToken {
        return shared.account.lock().tokens.answer_locally(&request, &parts.headers);
    }
    admitted(shared, &parts.headers, place, &request).unwrap_or_else(Reply::from)
}

fn read(parts: &Parts, body: &[u8], doom: Option<ArmError>, now: Instant) -> Result<Request, ArmError> {
    let Query(query) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
        .map_err(|error| ArmError::bad("InvalidQuery", error.to_string()))?;
    let query: BTreeMap<String, String> =
        query.into_iter().map(|(key, value)| (key.to_ascii_lowercase(), value)).collect();
    let header =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let scheme = header("x-forwarded-proto").unwrap_or_else(|| "http".to_owned());
    let host = header("x-forwarded-host").or_else(|| header("host")).unwrap_or_default();
    let body = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(body).map_err(|error| {
            ArmError::bad("InvalidRequestContent", format!("The request content was invalid: {error}"))
        })?
    };
    Ok(Request {
        method: parts.method.clone(),
        base: format!("{scheme}://{host}"),
        path: parts.uri.path().to_owned(),
        query,
        if_match: header("if-match"),
        if_none_match: header("if-none-match"),
        body,
        doom,
        now,
    })
}

fn admitted(
    shared: &Shared,
    headers: &HeaderMap,
    place: &Place,
    request: &Request,
) -> Result<Reply, ArmError> {
    let mut account = shared.account.lock();
    account.tokens.admit(headers, request.now)?;
    let subscription = place.subscription.as_deref().unwrap_or_default();
    if !subscription.eq_ignore_ascii_case(account.settings.subscription) {
        let message = format!("The subscription '{subscription}' could not be found.");
        return Err(ArmError::missing("SubscriptionNotFound", message));
    }
    known_version(shared, place, request)?;
    known_by_the_vendor(shared, place, request)?;
    account.settle(request.now);
    dispatch(&mut account, place, request)
}

fn known_version(shared: &Shared, place: &Place, request: &Request) -> Result<(), ArmError> {
    let version = request.api_version();
    if place.versions().contains(&version) {
        return Ok(());
    }
    shared.violations.lock().push(format!("{} {}: api-version {version:?}", request.method, request.path));
    if version.is_empty() {
        let message = "The api-version query parameter (?api-version=) is required for all requests.";
        return Err(ArmError::bad("MissingApiVersionParameter", message));
    }
    let message = format!(
        "No registered resource provider found for API version '{version}' of {}. The supported api-versions are '{}'.",
        place.namespace,
        place.versions().join(", ")
    );
    Err(ArmError::bad("NoRegisteredProviderFound", message))
}

/// The name of the vendor's model for the body.
fn model(place: &Place, method: &Method) -> Option<&'static str> {
    let Route::One { key, .. } = &place.route else { return None };
    match (key.kind, method.as_str()) {
        (Kind::Vm, "PUT") => Some("VirtualMachine"),
        (Kind::Vm, "PATCH") => Some("VirtualMachineUpdate"),
        (Kind::Disk, "PUT") => Some("Disk"),
        (Kind::Disk, "PATCH") => Some("DiskUpdate"),
        (Kind::Nic, "PUT") => Some("Interface"),
        (Kind::PublicIp, "PUT") => Some("PublicIPAddress"),
        (Kind::Nic | Kind::PublicIp, "PATCH") => Some("TagsObject"),
        _ => None,
    }
}

fn known_by_the_vendor(shared: &Shared, place: &Place, request: &Request) -> Result<(), ArmError> {
    let (Some(models), Some(model)) = (&shared.models, model(place, &request.method)) else { return Ok(()) };
    let objections = models.objections(model, &request.body).unwrap_or_else(|error| vec![error.to_string()]);
    if objections.is_empty() {
        return Ok(());
    }
    let text = objections.join(", ");
    shared.violations.lock().push(format!("{} {}: {text}", request.method, request.path));
    Err(ArmError::bad("InvalidRequestContent", format!("The request content was invalid: {text}")))
}

fn dispatch(account: &mut Account, place: &Place, request: &Request) -> Result<Reply, ArmError> {
    let reading = matches!(request.method, Method::GET | Method::HEAD);
    match &place.route {
        Route::One { key, group, name } => one(account, request, key, group, name),
        Route::Agreement { publisher, offer, plan } if reading || request.method == Method::PUT => {
            catalogue::agreement(account, request, publisher, offer, plan)
        }
        _ if !reading => Err(not_allowed(request)),
        Route::List { kind, group } => catalogue::page(account, request, *kind, group.as_deref()),
        Route::InstanceView(key) => {
            let vm = account.resources.get(key).map(virtual_machines::instance_view);
            vm.map(Reply::ok).ok_or_else(|| ArmError::missing("ResourceNotFound", "There is no such VM."))
        }
        // Compute has one path for both; the parameter `monitor` tells them apart.
        Route::Operation { id } if request.query.contains_key("monitor") => {
            Ok(operation(account, id)?.fetched(account))
        }
        Route::Operation { id } => Ok(operation(account, id)?.followed(account)),
        Route::OperationResult { id } => Ok(operation(account, id)?.fetched(account)),
        Route::ResourceGroup(group) => catalogue::resource_group(account, request, group),
        Route::Subnet { group, network, subnet } => catalogue::subnet(account, group, network, subnet),
        Route::Image { publisher, offer, sku, version } => {
            catalogue::image(account, publisher, offer, sku, version.as_deref())
        }
        Route::Skus => Ok(catalogue::skus(account)),
        Route::Prop => {
            let prop = account.props.get(&request.path.to_ascii_lowercase());
            let missing =
                || ArmError::missing("ResourceNotFound", format!("{} was not found.", request.path));
            Ok(Reply::ok(prop.cloned().ok_or_else(missing)?))
        }
        Route::Agreement { .. } | Route::Token { .. } | Route::MetadataToken | Route::Discovery { .. } => {
            Err(not_allowed(request))
        }
    }
}

fn not_allowed(request: &Request) -> ArmError {
    let message = format!("The http method '{}' is not supported for this resource.", request.method);
    ArmError::new(StatusCode::METHOD_NOT_ALLOWED, "UnsupportedHttpMethod", message)
}

fn one(
    account: &mut Account,
    request: &Request,
    key: &Key,
    group: &str,
    name: &str,
) -> Result<Reply, ArmError> {
    if !account.has_group(group) {
        return match request.method {
            // What is to be gone is gone.
            Method::DELETE => Ok(Reply::empty(StatusCode::NO_CONTENT)),
            _ => Err(catalogue::no_group(group)),
        };
    }
    match (request.method.as_str(), key.kind) {
        ("GET", _) => {
            let found = account.resources.get(key).ok_or_else(|| account.not_found(key.kind, group, name))?;
            let mut shown = found.shown();
            if key.kind == Kind::Vm
                && request.query.get("$expand").is_some_and(|what| what.eq_ignore_ascii_case("instanceView"))
            {
                shown["properties"]["instanceView"] = virtual_machines::instance_view(found);
            }
            Ok(Reply::ok(shown))
        }
        ("PUT", Kind::Vm) => virtual_machines::put(account, request, key, group, name),
        ("PATCH", Kind::Vm) => virtual_machines::patch(account, request, key, group, name),
        ("DELETE", Kind::Vm) => Ok(vm_delete::delete(account, request, key)),
        ("PUT", Kind::Disk) => disks::put(account, request, key, group, name),
        ("PATCH", Kind::Disk) => disks::patch(account, request, key, group, name),
        ("DELETE", Kind::Disk) => disks::delete(account, request, key),
        ("PUT", Kind::Nic) => interfaces::put(account, request, key, group, name),
        ("PATCH", Kind::Nic) => interfaces::patch(account, request, key, group, name),
        ("DELETE", Kind::Nic) => interfaces::delete(account, request, key),
        ("PUT", Kind::PublicIp) => addresses::put(account, request, key, group, name),
        ("DELETE", Kind::PublicIp) => addresses::delete(account, request, key),
        _ => Err(not_allowed(request)),
    }
}

fn operation<'a>(account: &'a Account, id: &str) -> Result<&'a Operation, ArmError> {
    let found = account.operations.iter().find(|operation| operation.id.eq_ignore_ascii_case(id));
    found.ok_or_else(|| ArmError::missing("NotFound", format!("Operation {id} was not found.")))
}

/// Headers that every answer has; the allowances are those of a subscription that hardly calls.
fn dressed(reply: Reply, method: &Method, number: u64) -> Response {
    let id = format!("{number:08x}-0000-4000-9000-{number:012x}");
    let allowance = match *method {
        Method::GET | Method::HEAD => ("x-ms-ratelimit-remaining-subscription-reads", "249"),
        Method::DELETE => ("x-ms-ratelimit-remaining-subscription-deletes", "199"),
        _ => ("x-ms-ratelimit-remaining-subscription-writes", "199"),
    };
    let mut response = Response::new(match &reply.body {
        Some(body) if *method != Method::HEAD => Body::from(body.to_string()),
        _ => Body::empty(),
    });
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    let fixed = [
        ("x-ms-request-id", id.clone()),
        ("x-ms-correlation-request-id", id),
        (allowance.0, allowance.1.into()),
    ];
    for (name, value) in fixed.into_iter().chain(reply.headers) {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    if reply.body.is_some() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    }
    response
}
