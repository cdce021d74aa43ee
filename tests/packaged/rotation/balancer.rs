//! A Service in front of the replicas: a port from which new connections go to the backends in turn. As with kube-proxy, a connection stays
//! where it is when its backend is taken out.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// Dropping it breaks every connection.
pub(crate) struct Balancer {
    port: u16,
    backends: Arc<Mutex<Vec<u16>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Balancer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (backends, connections) = (Arc::<Mutex<Vec<u16>>>::default(), Arc::<AtomicUsize>::default());
        let task = tokio::spawn(serve(listener, Arc::clone(&backends), Arc::clone(&connections)));
        Self { port, backends, connections, task }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn add(&self, backend: u16) {
        self.backends.lock().push(backend);
    }

    pub(crate) fn remove(&self, backend: u16) {
        self.backends.lock().retain(|port| *port != backend);
    }

    /// How many there have been.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, backends: Arc<Mutex<Vec<u16>>>, count: Arc<AtomicUsize>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((mut from, _)) = listener.accept() => {
                let turn = count.fetch_add(1, Ordering::Relaxed);
                let backend = next(&backends.lock(), turn);
                connections.spawn(async move {
                    let Some(backend) = backend else { return };
                    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, backend));
                    let Ok(mut to) = TcpStream::connect(to).await else { return };
                    let _ = copy_bidirectional(&mut from, &mut to).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

fn next(backends: &[u16], turn: usize) -> Option<u16> {
    turn.checked_rem(backends.len()).map(|index| backends[index])
}
