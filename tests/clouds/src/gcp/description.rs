//! Holds requests and answers against Google's description of the compute API.

use std::collections::{BTreeMap, HashMap};

use jsonschema::Validator;
use parking_lot::Mutex;
use serde_json::Value;

use super::strict_schema::{self, Direction};

/// Where calls are below a host.
pub(super) const BASE: &str = "/compute/v1/";

/// The description, ready to judge.
#[derive(Debug)]
pub(super) struct Description {
    schemas: Value,
    methods: Vec<Method>,
    everywhere: Vec<String>,
    validators: Mutex<HashMap<(String, Direction), std::sync::Arc<Validator>>>,
}

/// One method of the API.
#[derive(Clone, Debug)]
pub(super) struct Method {
    /// Such as `instances.insert`.
    pub(super) name: String,
    http_method: String,
    segments: Vec<String>,
    parameters: BTreeMap<String, Value>,
    request: Option<String>,
    answer: Option<String>,
}

impl Description {
    pub(super) fn of(document: &Value) -> Self {
        let mut methods = Vec::new();
        for (resource, value) in document["resources"].as_object().into_iter().flatten() {
            for (name, method) in value["methods"].as_object().into_iter().flatten() {
                methods.push(Method::of(format!("{resource}.{name}"), method));
            }
        }
        let everywhere = document["parameters"].as_object().into_iter().flatten();
        Self {
            schemas: document["schemas"].clone(),
            methods,
            everywhere: everywhere.map(|(name, _)| name.clone()).collect(),
            validators: Mutex::default(),
        }
    }

    /// The method of a call, and what fills its path.
    pub(super) fn method(
        &self,
        http_method: &str,
        path: &str,
    ) -> Option<(&Method, BTreeMap<String, String>)> {
        let parts: Vec<&str> = path.strip_prefix(BASE)?.split('/').collect();
        self.methods.iter().filter(|method| method.http_method == http_method).find_map(|method| {
            (method.segments.len() == parts.len()).then_some(())?;
            let mut filled = BTreeMap::new();
            for (segment, part) in method.segments.iter().zip(&parts) {
                match segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}')) {
                    Some(name) => drop(filled.insert(name.to_owned(), (*part).to_owned())),
                    None if segment == part => {}
                    None => return None,
                }
            }
            Some((method, filled))
        })
    }

    /// What is wrong with a request.
    pub(super) fn judge_request(
        &self,
        method: &Method,
        path: &BTreeMap<String, String>,
        query: &[(String, String)],
        body: Option<&Value>,
    ) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, value) in path.iter().chain(query.iter().map(|(name, value)| (name, value))) {
            let Some(parameter) = method.parameters.get(name) else {
                if !self.everywhere.contains(name) {
                    wrong.push(format!("{}: no parameter is called {name}", method.name));
                }
                continue;
            };
            let schema = strict_schema::of(
                &serde_json::json!({ "parameter": parameter }),
                "parameter",
                Direction::Request,
            );
            let value = typed(parameter, value);
            let fits = jsonschema::validator_for(&schema).is_ok_and(|validator| validator.is_valid(&value));
            if !fits {
                wrong.push(format!("{}: {value} can not be parameter {name}", method.name));
            }
        }
        match (&method.request, body) {
            (Some(schema), Some(body)) => wrong.extend(self.judge(schema, body, Direction::Request)),
            (Some(_), None) => wrong.push(format!("{}: there must be a body", method.name)),
            (None, Some(_)) => wrong.push(format!("{}: there must be no body", method.name)),
            (None, None) => {}
        }
        wrong
    }

    /// What is wrong with an answer.
    pub(super) fn judge_answer(&self, method: &Method, body: &Value) -> Vec<String> {
        method.answer.iter().flat_map(|schema| self.judge(schema, body, Direction::Answer)).collect()
    }

    fn judge(&self, schema: &str, body: &Value, direction: Direction) -> Vec<String> {
        let key = (schema.to_owned(), direction);
        let known = self.validators.lock().get(&key).cloned();
        let validator = known.unwrap_or_else(|| {
            let schema = strict_schema::of(&self.schemas, schema, direction);
            let made = jsonschema::draft7::new(&schema).expect("Google's description makes a JSON Schema");
            self.validators.lock().entry(key).or_insert_with(|| made.into()).clone()
        });
        let wrong = validator.iter_errors(body);
        wrong.map(|error| format!("{schema} ({direction:?}) at {}: {error}", error.instance_path())).collect()
    }
}

impl Method {
    fn of(name: String, method: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parameters = method["parameters"].as_object().into_iter().flatten();
        Self {
            name,
            http_method: text(&method["httpMethod"]),
            segments: text(&method["path"]).split('/').map(str::to_owned).collect(),
            parameters: parameters.map(|(name, value)| (name.clone(), value.clone())).collect(),
            request: method.pointer("/request/$ref").map(text),
            answer: method.pointer("/response/$ref").map(text),
        }
    }
}

/// A parameter's text as what it stands for.
fn typed(parameter: &Value, text: &str) -> Value {
    match parameter["type"].as_str() {
        Some("integer" | "boolean") => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        _ => text.into(),
    }
}
