//! Takes in the bodies of requests, each within the limits and all of them within a budget of memory: slow
//! clients with large bodies must not be able to fill the process up.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::Limits;
use crate::outcome::Outcome;

/// Why a body was not taken in.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the content type must be application/json")]
    NotJson,
    #[error("the request is larger than {limit} bytes; --max-body-bytes is the limit")]
    TooLarge { limit: usize },
    #[error("the request did not arrive in time; --request-timeout is the limit")]
    TimedOut,
    #[error("the request broke off: {0}")]
    BrokeOff(#[from] axum::Error),
}

impl BodyError {
    /// The HTTP status that says the same.
    pub(crate) const fn status(&self) -> StatusCode {
        match self {
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TimedOut => StatusCode::REQUEST_TIMEOUT,
            Self::BrokeOff(_) => StatusCode::BAD_REQUEST,
        }
    }

    /// What to count it as.
    pub(crate) const fn outcome(&self) -> Outcome {
        match self {
            Self::NotJson | Self::BrokeOff(_) => Outcome::Malformed,
            Self::TooLarge { .. } => Outcome::TooLarge,
            Self::TimedOut => Outcome::TimedOut,
        }
    }
}

/// The first part of every body, and what all first parts together may take. Reviews of usual objects fit in
/// it, so that they have room whatever large ones do.
const FIRST_PART: usize = 32 << 10;
const FIRST_PARTS: usize = 8 << 20;
/// What all bodies together may take beyond their first parts, in bodies of the largest size.
const LARGE_BODIES: usize = 6;
/// The budget is counted in these.
const UNIT: usize = 4 << 10;

/// Where bodies come in.
pub(crate) struct Intake {
    limits: Limits,
    first_parts: Semaphore,
    rest: Semaphore,
}

impl Intake {
    /// An intake in which nothing is yet.
    pub(crate) fn new(limits: Limits) -> Self {
        let rest =
            (limits.max_body_bytes.div_ceil(UNIT)).saturating_mul(LARGE_BODIES).min(Semaphore::MAX_PERMITS);
        Self { limits, first_parts: Semaphore::new(FIRST_PARTS / UNIT), rest: Semaphore::new(rest) }
    }

    /// The whole body. What it takes of the budget is free again when it has arrived: from there on it is
    /// worked at without a pause, by one of two threads.
    pub(crate) async fn read(&self, request: Request) -> Result<Bytes, BodyError> {
        look_at_headers(request.headers(), self.limits.max_body_bytes)?;
        let announced = announced(request.headers());
        let arriving = self.arrive(request.into_body(), announced);
        tokio::time::timeout(self.limits.request_timeout, arriving).await.map_err(|_| BodyError::TimedOut)?
    }

    async fn arrive(&self, mut body: Body, announced: Option<u64>) -> Result<Bytes, BodyError> {
        let limit = self.limits.max_body_bytes;
        let whole_size = announced.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(limit).min(limit);
        let mut held: Vec<SemaphorePermit<'_>> = Vec::new();
        let mut units = 0;
        let mut first: Option<Bytes> = None;
        let mut whole: Vec<u8> = Vec::new();
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame?.into_data() else { continue };
            let arrived = first.as_ref().map_or(whole.len(), Bytes::len) + data.len();
            if arrived > limit {
                return Err(BodyError::TooLarge { limit });
            }
            // All of it at once: of many that each hold a part and wait for more, none would ever be whole.
            let taken = if arrived > FIRST_PART { arrived.max(whole_size) } else { arrived };
            let needed = taken.div_ceil(UNIT);
            held.extend(self.room(units, needed).await);
            units = needed;
            // Most bodies come in one piece, which needs no copy.
            if first.is_none() && whole.is_empty() {
                first = Some(data);
                continue;
            }
            whole.extend_from_slice(&first.take().unwrap_or_default());
            whole.extend_from_slice(&data);
        }
        Ok(first.unwrap_or_else(|| whole.into()))
    }

    /// Waits for room for a body that had `from` units and is to have `to`.
    async fn room(&self, from: usize, to: usize) -> Vec<SemaphorePermit<'_>> {
        let first_part = FIRST_PART / UNIT;
        let small = to.min(first_part).saturating_sub(from);
        let large = to.saturating_sub(from.max(first_part));
        let mut permits = Vec::new();
        for (room, units) in [(&self.first_parts, small), (&self.rest, large)] {
            if units > 0 {
                // Both are never closed, and a body never needs more than there is.
                permits.extend(room.acquire_many(u32::try_from(units).unwrap_or(u32::MAX)).await);
            }
        }
        permits
    }
}

/// A body that announces what would be refused is refused before it is sent.
fn look_at_headers(headers: &HeaderMap, limit: usize) -> Result<(), BodyError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let media_type = text(header::CONTENT_TYPE).and_then(|value| value.split(';').next()).map(str::trim);
    if media_type != Some("application/json") {
        return Err(BodyError::NotJson);
    }
    if announced(headers).is_some_and(|bytes| bytes > limit as u64) {
        return Err(BodyError::TooLarge { limit });
    }
    Ok(())
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::Args;

    fn limits(flags: &[&str]) -> Limits {
        let files = ["x", "--tls-cert-file=none", "--tls-key-file=none"];
        Args::parse_from(files.iter().chain(flags)).limits
    }

    fn json(body: Body) -> Request {
        Request::post("/").header("content-type", "application/json").body(body).unwrap()
    }

    fn in_pieces(length: usize) -> Body {
        let pieces: Vec<_> =
            vec![b' '; length].chunks(1000).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
        Body::from_stream(futures::stream::iter(pieces))
    }

    /// Sends so much and then nothing more.
    fn stuck(length: usize) -> Body {
        use futures::StreamExt as _;
        let sent = futures::stream::iter([Ok::<_, std::io::Error>(vec![b' '; length])]);
        Body::from_stream(sent.chain(futures::stream::pending()))
    }

    #[tokio::test]
    async fn bodies_of_any_number_of_pieces_arrive_whole_and_leave_the_budget_as_it_was() {
        let intake = Intake::new(limits(&[]));
        let before = (intake.first_parts.available_permits(), intake.rest.available_permits());
        for length in [0, 1, 1000, 1001, FIRST_PART, FIRST_PART + 1, 500_000] {
            assert_eq!(intake.read(json(in_pieces(length))).await.unwrap().len(), length);
            assert_eq!(intake.read(json(Body::from(vec![b' '; length]))).await.unwrap().len(), length);
        }
        assert_eq!((intake.first_parts.available_permits(), intake.rest.available_permits()), before);
    }

    #[tokio::test(start_paused = true)]
    async fn many_large_bodies_at_once_all_arrive_instead_of_waiting_for_each_other() {
        use futures::StreamExt as _;
        let intake = Intake::new(limits(&["--max-body-bytes=1000000"]));
        for announced in [None, Some("900000")] {
            let arriving = (0..50).map(|_| {
                // In turn, as on one connection of HTTP/2.
                let pieces = futures::stream::iter(0..90).then(async |_| {
                    tokio::task::yield_now().await;
                    Ok::<_, std::io::Error>(vec![b' '; 10_000])
                });
                let mut request = json(Body::from_stream(pieces));
                if let Some(length) = announced {
                    request.headers_mut().insert(header::CONTENT_LENGTH, length.parse().unwrap());
                }
                intake.read(request)
            });
            for read in futures::future::join_all(arriving).await {
                assert_eq!(read.unwrap().len(), 900_000);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn large_bodies_that_stop_half_way_leave_room_for_small_ones_and_go_in_time() {
        let intake = Intake::new(limits(&["--request-timeout=5s", "--max-body-bytes=1000000"]));
        let stuck: futures::stream::FuturesUnordered<_> =
            (0..50).map(|_| intake.read(json(stuck(900_000)))).collect();
        let stuck = futures::StreamExt::collect::<Vec<_>>(stuck);
        let small = async {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            assert_eq!(intake.rest.available_permits() * UNIT / 900_000, 0, "the large ones fill their part");
            intake.read(json(in_pieces(20_000))).await.unwrap().len()
        };
        let (stuck, small) = tokio::join!(stuck, small);
        assert_eq!(small, 20_000);
        assert!(stuck.iter().all(|read| matches!(read, Err(BodyError::TimedOut))));
        assert_eq!(intake.read(json(in_pieces(900_000))).await.unwrap().len(), 900_000);
    }
}
