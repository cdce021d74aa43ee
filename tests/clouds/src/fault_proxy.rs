//! A proxy before a stand-in that counts calls and lets some of them go wrong: refused, answered into nothing, or never answered.
//!
//! It has one address for each address it stands before, and puts its own in the place of theirs in what they answer, so that
//! a catalogue of services leads through it too. Which calls change something is for who makes it to say.

mod call;
mod effect;
mod fault;
mod forward;

use std::{convert::Infallible, io, sync::Arc};

use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use self::forward::Forward;
pub use self::{
    call::{Call, Calls},
    effect::Effect,
    fault::{Fault, When},
};
use crate::StandInError;

/// A proxy that runs. Dropping it ends it.
pub struct FaultProxy {
    urls: Vec<String>,
    state: Arc<State>,
    _servers: Vec<AbortOnDropHandle<()>>,
}

/// What all its addresses share.
struct State {
    /// Each address it stands before, with its own for it.
    addresses: Vec<(String, String)>,
    reading: fn(&Call) -> bool,
    faults: Mutex<Vec<Fault>>,
    seen: Mutex<Vec<Call>>,
    client: reqwest::Client,
}

impl FaultProxy {
    /// Stands before `upstreams`, each such as `http://127.0.0.1:40001`; `reading` tells the calls that change nothing.
    pub async fn before(upstreams: &[&str], reading: fn(&Call) -> bool) -> Result<Self, StandInError> {
        let failed = |source| StandInError::disk("listen for", "a proxy on 127.0.0.1")(source);
        let mut listeners = Vec::new();
        let mut addresses = Vec::new();
        for upstream in upstreams {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(failed)?;
            let own = format!("http://{}", listener.local_addr().map_err(failed)?);
            addresses.push(((*upstream).trim_end_matches('/').to_owned(), own));
            listeners.push(listener);
        }
        let client =
            reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let client = client.map_err(|error| failed(io::Error::other(error)))?;
        let urls = addresses.iter().map(|(_, own)| own.clone()).collect();
        let (faults, seen) = Default::default();
        let state = Arc::new(State { addresses, reading, faults, seen, client });
        let servers = listeners.into_iter().enumerate().map(|(place, listener)| {
            let state = state.clone();
            AbortOnDropHandle::new(tokio::spawn(serve(listener, state, place)))
        });
        let servers = servers.collect();
        Ok(Self { urls, state, _servers: servers })
    }

    /// Its address for the first upstream.
    pub fn url(&self) -> &str {
        self.urls.first().map_or("", String::as_str)
    }

    /// `url` of an upstream as it is reached through this proxy.
    pub fn through(&self, url: &str) -> String {
        self.state.renamed(url)
    }

    /// Waits for calls from now on; a fault that was added before goes first.
    pub fn add(&self, fault: Fault) {
        self.state.faults.lock().push(fault);
    }

    /// Ends all misfortune.
    pub fn clear(&self) {
        self.state.faults.lock().clear();
    }

    /// Every call since it started or since [`FaultProxy::forget`], also those that were struck.
    pub fn calls(&self) -> Vec<Call> {
        self.state.seen.lock().clone()
    }

    /// How many there were.
    pub fn counts(&self) -> Calls {
        let seen = self.state.seen.lock();
        let reading = seen.iter().filter(|call| (self.state.reading)(call)).count();
        Calls { reading, changing: seen.len() - reading }
    }

    /// Begins to count anew.
    pub fn forget(&self) {
        self.state.seen.lock().clear();
    }
}

impl State {
    fn upstream(&self, place: usize) -> &str {
        self.addresses.get(place).map_or("", |(upstream, _)| upstream.as_str())
    }

    fn renamed(&self, text: &str) -> String {
        self.addresses.iter().fold(text.to_owned(), |text, (upstream, own)| text.replace(upstream, own))
    }

    /// Writes the call down and says what happens to it.
    fn strike(&self, call: &Call) -> Option<Effect> {
        self.seen.lock().push(call.clone());
        self.faults.lock().iter_mut().find_map(|fault| fault.strikes(call))
    }
}

async fn serve(listener: TcpListener, state: Arc<State>, place: usize) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => continue,
            },
            Some(_) = connections.join_next() => continue,
        };
        let state = state.clone();
        connections.spawn(async move {
            let answer = |request: hyper::Request<Incoming>| {
                let forward = Forward { state: state.clone(), place };
                async move { forward.answer(request).await }
            };
            let builder = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            // A lost reply ends the connection with an error, and so does a client that goes away.
            let _: Result<(), _> = builder.serve_connection(TokioIo::new(stream), service_fn(answer)).await;
            Ok::<(), Infallible>(())
        });
    }
}

#[cfg(test)]
mod tests;
