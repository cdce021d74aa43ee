//! Takes connections in: a bounded number, each in a task of its own from the handshake on, so that a
//! slow or hostile peer holds up nobody else. Nothing a peer does or leaves undone keeps a connection forever.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use crate::activity::Activity;
use crate::crowd::{Crowd, Place};
use crate::http_limits::{Protocol, server};
use crate::metrics::HandshakeFailure;
use crate::stalled_write::StalledWrite;
use crate::{Limits, Metrics};

/// A listener that is out of file descriptors needs a moment, not a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What each connection is served with.
#[derive(Clone)]
pub(crate) struct TlsService {
    pub(crate) acceptor: TlsAcceptor,
    pub(crate) router: Router,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
}

type Stream = TlsStream<StalledWrite<TcpStream>>;

/// Serves until `shutdown` is cancelled; then what is under way gets its grace.
pub(crate) async fn serve_tls(listener: TcpListener, service: TlsService, shutdown: CancellationToken) {
    let grace = service.limits.shutdown_grace;
    let service = Arc::new(service);
    let crowd = Crowd::new(service.limits.max_connections);
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let place = crowd.place().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = shutdown.cancelled() => break,
            next = next => next,
            // Reaps what has ended, so that the set does not grow.
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (service, shutdown) = (Arc::clone(&service), shutdown.clone());
                connections.spawn(async move { service.serve_peer(stream, peer, place, shutdown).await });
            }
            Err(error) => {
                tracing::warn!("a connection could not be taken in: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::warn!("requests that took longer than --shutdown-grace were cut off");
    }
    connections.shutdown().await;
}

impl TlsService {
    async fn serve_peer(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        mut place: Place,
        shutdown: CancellationToken,
    ) {
        let _open = self.metrics.connection();
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        let stream = StalledWrite::new(stream, self.limits.request_timeout);
        let begun = Activity::new();
        let handshake = tokio::select! {
            () = shutdown.cancelled() => return,
            handshake = self.acceptor.accept(stream) => handshake,
            () = place.outstayed(&begun, self.limits.handshake_timeout) => {
                tracing::debug!(%peer, "TLS handshake took longer than --handshake-timeout");
                return self.metrics.handshake_failed(HandshakeFailure::TimedOut);
            }
        };
        match handshake {
            Ok(stream) => self.serve_connection(stream, peer, place, shutdown).await,
            Err(error) => {
                let failure = HandshakeFailure::of(&error);
                match failure {
                    HandshakeFailure::Client => {
                        tracing::warn!(%peer, "a client was refused by --client-ca-file: {error}");
                    }
                    HandshakeFailure::Refused | HandshakeFailure::TimedOut => {
                        tracing::debug!(%peer, "TLS handshake refused: {error}");
                    }
                }
                self.metrics.handshake_failed(failure);
            }
        }
    }

    async fn serve_connection(
        &self,
        stream: Stream,
        peer: SocketAddr,
        mut place: Place,
        shutdown: CancellationToken,
    ) {
        let activity = Activity::new();
        let router = tower::service_fn({
            let (router, activity) = (self.router.clone(), activity.clone());
            move |request: Request<_>| {
                let (router, under_way) = (router.clone(), activity.begin());
                async move {
                    let answered = router.oneshot(request).await;
                    drop(under_way);
                    answered
                }
            }
        });
        let http = server(Protocol::of(stream.get_ref().1), TokioExecutor::new(), &self.limits);
        let served = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        tokio::pin!(served);
        let idle = tokio::select! {
            ended = served.as_mut() => return told(peer, ended),
            () = shutdown.cancelled() => false,
            () = place.outstayed(&activity, self.limits.idle_timeout) => true,
        };
        served.as_mut().graceful_shutdown();
        if !idle {
            // Bounded by the grace of who serves.
            return told(peer, served.await);
        }
        match tokio::time::timeout(self.limits.request_timeout, served).await {
            Ok(ended) => told(peer, ended),
            Err(_) => tracing::debug!(%peer, "an idle connection was cut off"),
        }
    }
}

fn told<E: std::fmt::Display>(peer: SocketAddr, ended: Result<(), E>) {
    if let Err(error) = ended {
        tracing::debug!(%peer, "connection ended: {error}");
    }
}
