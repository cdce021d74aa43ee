//! Asks one question over and over, so many at a time, for a while.

use std::time::{Duration, Instant};

use hyper::body::Bytes;
use tokio::task::JoinSet;

use super::{
    cases::Case,
    client::{Client, Protocol, Target},
    error::WebhookBenchError,
};

/// How it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) protocol: Protocol,
    pub(super) at_a_time: u16,
    pub(super) time: Duration,
}

/// How long each request took, in microseconds.
pub(super) type Micros = Vec<u32>;

/// Clients that are connected.
pub(super) struct Askers(Vec<Client>);

impl Askers {
    pub(super) async fn connect(target: &Target, load: Load) -> Result<Self, WebhookBenchError> {
        Ok(Self(Client::connect_many(target, load.protocol, load.at_a_time).await?))
    }

    /// Asks until the time is over.
    pub(super) async fn ask(&mut self, case: &Case, time: Duration) -> Result<Micros, WebhookBenchError> {
        let end = Instant::now() + time;
        let mut asking = JoinSet::new();
        for mut client in self.0.drain(..) {
            let (case, body) = (Case { body: Vec::new(), ..case.clone() }, Bytes::from(case.body.clone()));
            asking.spawn(async move {
                let mut micros = Micros::new();
                let first = client.ask(&case, body.clone()).await?;
                if !case.expected.is(&first) {
                    let answer = String::from_utf8_lossy(&first).into_owned();
                    return Err(WebhookBenchError::Unexpected { case: case.name, answer });
                }
                while Instant::now() < end {
                    let begun = Instant::now();
                    let answer = client.ask(&case, body.clone()).await?;
                    micros.push(u32::try_from(begun.elapsed().as_micros()).unwrap_or(u32::MAX));
                    // All answers to one question are the same; comparing them costs next to nothing.
                    if answer != first {
                        let answer = String::from_utf8_lossy(&answer).into_owned();
                        return Err(WebhookBenchError::Unexpected { case: case.name, answer });
                    }
                }
                Ok((client, micros))
            });
        }
        let mut all = Micros::new();
        while let Some(ended) = asking.join_next().await {
            let (client, micros) = ended.map_err(std::io::Error::other)??;
            self.0.push(client);
            all.extend(micros);
        }
        Ok(all)
    }
}
