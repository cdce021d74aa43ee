//! One request on its way to the stand-in and back.

use std::{io, sync::Arc};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;

use super::{Call, Effect, State};

/// What belongs to one connection only.
const HOP_BY_HOP: [header::HeaderName; 6] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::HOST,
    header::TRANSFER_ENCODING,
    header::TE,
    header::UPGRADE,
];

pub(super) struct Forward {
    pub(super) state: Arc<State>,
    pub(super) place: usize,
}

impl Forward {
    /// An error ends the connection without an answer.
    pub(super) async fn answer(self, request: Request<Incoming>) -> io::Result<Response<Full<Bytes>>> {
        let (head, body) = request.into_parts();
        let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let upstream = self.state.upstream(self.place).to_owned();
        let call = Call { method: head.method, upstream, path, headers: head.headers, body };
        match self.state.strike(&call) {
            None => self.pass_on(call).await,
            Some(Effect::Delay(time)) => {
                tokio::time::sleep(time).await;
                self.pass_on(call).await
            }
            Some(Effect::Refuse { status, headers, body }) => refusal(status, &headers, body),
            Some(Effect::LoseReply) => {
                self.pass_on(call).await?;
                Err(io::Error::other("the reply is lost on purpose"))
            }
            Some(Effect::Hang) => std::future::pending().await,
        }
    }

    async fn pass_on(&self, call: Call) -> io::Result<Response<Full<Bytes>>> {
        let url = format!("{}{}", call.upstream, call.path);
        // The signature of an AWS call covers the host that the client has called.
        let host = call.headers.get(header::HOST).cloned();
        let mut headers = passed_on(&call.headers);
        headers.extend(host.filter(|_| is_signed(&call.headers)).map(|host| (header::HOST, host)));
        let request = self.state.client.request(call.method, url).headers(headers).body(call.body);
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(error) => {
                return refusal(
                    StatusCode::BAD_GATEWAY.as_u16(),
                    &[],
                    format!("the proxy's stand-in: {error}"),
                );
            }
        };
        let status = answer.status();
        let headers = answer.headers().clone();
        let body = answer.bytes().await.map_err(io::Error::other)?;
        let mut response = Response::new(Full::new(self.renamed(body)));
        *response.status_mut() = status;
        for (name, value) in &passed_on(&headers) {
            let value = value.to_str().ok().and_then(|text| self.state.renamed(text).parse().ok());
            if let Some(value) = value {
                response.headers_mut().append(name, value);
            }
        }
        Ok(response)
    }

    fn renamed(&self, body: Bytes) -> Bytes {
        match std::str::from_utf8(&body) {
            Ok(text) => Bytes::from(self.state.renamed(text)),
            Err(_) => body,
        }
    }
}

fn is_signed(headers: &HeaderMap) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    value.is_some_and(|value| value.starts_with("AWS4-"))
}

fn passed_on(headers: &HeaderMap) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| !HOP_BY_HOP.contains(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn refusal(status: u16, headers: &[(String, String)], body: String) -> io::Result<Response<Full<Bytes>>> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(Full::new(Bytes::from(body))).map_err(io::Error::other)
}
