//! The lines of a watch, as they come in.

use bytes::{Buf as _, Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::KubeError;

/// One watch event is one line; a longer one than this is no object a guest should keep.
const LONGEST_LINE: usize = 4 * 1024 * 1024;

/// A watch in progress.
#[derive(Debug)]
pub(crate) struct Lines {
    body: Incoming,
    buffer: BytesMut,
    searched: usize,
}

impl Lines {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, buffer: BytesMut::new(), searched: 0 }
    }

    /// The next line without its end; none when the server closed the watch.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, KubeError> {
        loop {
            if let Some(length) = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
                let line = self.buffer.split_to(self.searched + length).freeze();
                self.buffer.advance(1);
                self.searched = 0;
                return Ok(Some(line));
            }
            self.searched = self.buffer.len();
            if self.searched > LONGEST_LINE {
                let reason = format!("an event is longer than {LONGEST_LINE} bytes");
                return Err(KubeError::Unreadable { verb: "watch", resource: "pods", reason });
            }
            if self.buffer.is_empty() {
                // A quiet watch must not hold on to the buffer of its last burst.
                self.buffer = BytesMut::new();
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(frame) => {
                    if let Ok(data) = frame?.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
            }
        }
    }
}
