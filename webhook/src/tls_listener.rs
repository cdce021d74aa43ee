//! Takes connections in: a bounded number, each in a task of its own from the handshake on, so that a
//! slow or hostile peer holds up nobody else.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::metrics::HandshakeFailure;
use crate::{Limits, Metrics};

/// How long HTTP/1 headers may take, which is also how long such a connection may idle.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// After how long without a word an HTTP/2 peer is asked whether it is still there, and may take to say so.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
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

/// Serves until `shutdown` is cancelled; then what is under way gets its grace.
pub(crate) async fn serve_tls(listener: TcpListener, service: TlsService, shutdown: CancellationToken) {
    let grace = service.limits.shutdown_grace;
    let slots = Arc::new(Semaphore::new(service.limits.max_connections as usize));
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            () = shutdown.cancelled() => break,
            next = next => next,
            // Reaps what has ended, so that the set does not grow.
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (service, watcher, shutdown) = (service.clone(), graceful.watcher(), shutdown.clone());
                connections.spawn(async move {
                    service.serve_connection(stream, peer, watcher, shutdown).await;
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!("a connection could not be taken in: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests that took longer than --shutdown-grace were cut off");
    }
    connections.shutdown().await;
}

impl TlsService {
    async fn serve_connection(
        self,
        stream: TcpStream,
        peer: SocketAddr,
        watcher: Watcher,
        shutdown: CancellationToken,
    ) {
        let _open = self.metrics.connection();
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        let handshake = tokio::time::timeout(self.limits.handshake_timeout, self.acceptor.accept(stream));
        let handshake = tokio::select! {
            () = shutdown.cancelled() => return,
            handshake = handshake => handshake,
        };
        let stream = match handshake {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                tracing::debug!(%peer, "TLS handshake refused: {error}");
                return self.metrics.handshake_failed(HandshakeFailure::Refused);
            }
            Err(_) => {
                tracing::debug!(%peer, "TLS handshake took longer than --handshake-timeout");
                return self.metrics.handshake_failed(HandshakeFailure::TimedOut);
            }
        };
        let mut http = auto::Builder::new(TokioExecutor::new());
        http.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
        http.http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT)
            .max_concurrent_streams(100);
        let served = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(self.router));
        if let Err(error) = watcher.watch(served).await {
            tracing::debug!(%peer, "connection ended: {error}");
        }
    }
}
