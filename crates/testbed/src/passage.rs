//! A way to a server that can be cut: a port on the loopback address from which bytes go there and back. Who uses it is the caller's choice,
//! so that one client loses a server that all others still reach.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
    time::timeout,
};

const LONGEST_CONNECT: Duration = Duration::from_secs(5);

/// What becomes of those who go through a [`Passage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// They get through.
    Open,
    /// Open connections break, and new ones are closed at once.
    Broken,
    /// Nothing breaks and nothing arrives, as behind a firewall that drops packets. What was sent meanwhile arrives later.
    Silent,
}

/// A way to a server; dropping it breaks every connection.
#[derive(Debug)]
pub struct Passage {
    address: SocketAddr,
    way: watch::Sender<Way>,
    task: JoinHandle<()>,
}

impl Passage {
    /// A way to `server`, such as `https://127.0.0.1:40001`; it is open.
    pub async fn to(server: &str) -> io::Result<Self> {
        let target = target(server)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (way, seen) = watch::channel(Way::Open);
        let task = tokio::spawn(serve(listener, target, seen));
        Ok(Self { address, way, task })
    }

    /// Where it begins, with TLS for servers that have a certificate for 127.0.0.1.
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Where it begins.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// From now on.
    pub fn set(&self, way: Way) {
        self.way.send_replace(way);
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        // Its connections are tasks of this one and end with it.
        self.task.abort();
    }
}

fn target(server: &str) -> io::Result<SocketAddr> {
    let (_, address) = server.rsplit_once("//").unwrap_or(("", server));
    address.parse().map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{server:?} is not https:// with an IP and a port"),
        )
    })
}

async fn serve(listener: TcpListener, target: SocketAddr, way: watch::Receiver<Way>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok((connection, _)) = listener.accept() => {
                connections.spawn(carry(connection, target, way.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Carries one connection until one side closes it or the way breaks.
async fn carry(mut from: TcpStream, target: SocketAddr, mut way: watch::Receiver<Way>) {
    let traffic = async {
        let Ok(Ok(mut to)) = timeout(LONGEST_CONNECT, TcpStream::connect(target)).await else { return };
        // An end is an end, whoever made it.
        let _ = copy_bidirectional(&mut from, &mut to).await;
    };
    tokio::pin!(traffic);
    loop {
        let now = *way.borrow_and_update();
        // Traffic that nobody polls waits where it is.
        let changed = tokio::select! {
            () = &mut traffic, if now == Way::Open => return,
            changed = way.changed(), if now != Way::Broken => changed,
            else => return,
        };
        if changed.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const MOMENT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(30);

    /// Says back what it hears.
    async fn echo() -> String {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut connection, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut read, mut write) = connection.split();
                    tokio::io::copy(&mut read, &mut write).await
                });
            }
        });
        url
    }

    async fn connect(passage: &Passage) -> TcpStream {
        TcpStream::connect(passage.address).await.unwrap()
    }

    async fn answer(connection: &mut TcpStream) -> io::Result<u8> {
        connection.write_all(b"x").await?;
        connection.read_u8().await
    }

    #[tokio::test]
    async fn an_open_way_carries_both_ways_and_a_broken_one_ends_old_and_new_connections() {
        let passage = Passage::to(&echo().await).await.unwrap();
        let mut connection = connect(&passage).await;
        assert_eq!(answer(&mut connection).await.unwrap(), b'x');
        passage.set(Way::Broken);
        let ended = timeout(LONG, connection.read_u8()).await.unwrap();
        assert!(ended.is_err());
        let mut another = connect(&passage).await;
        assert!(timeout(LONG, answer(&mut another)).await.unwrap().is_err());
        passage.set(Way::Open);
        assert_eq!(answer(&mut connect(&passage).await).await.unwrap(), b'x');
    }

    #[tokio::test]
    async fn a_silent_way_holds_bytes_back_until_it_is_open_again() {
        let passage = Passage::to(&echo().await).await.unwrap();
        let mut connection = connect(&passage).await;
        assert_eq!(answer(&mut connection).await.unwrap(), b'x');
        passage.set(Way::Silent);
        let mut another = connect(&passage).await;
        for connection in [&mut connection, &mut another] {
            assert!(timeout(MOMENT, answer(connection)).await.is_err(), "it was not silent");
        }
        passage.set(Way::Open);
        for connection in [&mut connection, &mut another] {
            assert_eq!(timeout(LONG, connection.read_u8()).await.unwrap().unwrap(), b'x');
        }
    }

    #[tokio::test]
    async fn a_way_to_no_address_is_refused() {
        let error = Passage::to("https://somewhere").await.unwrap_err().to_string();
        assert!(error.contains("somewhere"), "{error}");
    }
}
