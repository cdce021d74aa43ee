//! What a peer may make of HTTP: how large heads are, how many streams there are, and for how long nothing may come.

use std::time::Duration;

use hyper_util::rt::TokioTimer;
use hyper_util::server::conn::auto::Builder;

use crate::Limits;

/// Room for what is read before it is a request; the API server sends heads of a few hundred bytes.
const READ_BUFFER: usize = 64 << 10;
const MOST_HEADERS: usize = 64;
const LARGEST_HEAD: u32 = 16 << 10;
/// Requests at a time on one connection of HTTP/2: what clients, Go's among them, take for granted before they are told.
const MOST_STREAMS: u32 = 100;
/// What a peer may send before it is read. Objects larger than that arrive in more than one round trip.
const STREAM_WINDOW: u32 = 128 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;
/// Streams that a peer opens and resets at once, and those that we reset; beyond it the connection is closed.
const MOST_RESETS: usize = 20;
/// After how long without a word an HTTP/2 peer is asked whether it is still there, and may take to say so.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// What was agreed on in the handshake. Who agrees on nothing speaks HTTP/1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Http1,
    Http2,
}

impl Protocol {
    /// Never guessed from the first bytes: a peer that sends none would be waited for without end.
    pub(crate) fn of(connection: &rustls::ServerConnection) -> Self {
        match connection.alpn_protocol() {
            Some(b"h2") => Self::Http2,
            _ => Self::Http1,
        }
    }
}

/// A server of one protocol, within the limits.
pub(crate) fn server<E>(protocol: Protocol, executor: E, limits: &Limits) -> Builder<E> {
    let mut http = Builder::new(executor);
    http.http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.idle_timeout)
        .max_buf_size(READ_BUFFER)
        .max_headers(MOST_HEADERS);
    http.http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT)
        .max_concurrent_streams(MOST_STREAMS)
        .max_header_list_size(LARGEST_HEAD)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_pending_accept_reset_streams(MOST_RESETS)
        .max_local_error_reset_streams(MOST_RESETS);
    match protocol {
        Protocol::Http1 => http.http1_only(),
        Protocol::Http2 => http.http2_only(),
    }
}
