//! Tokens by credential: each is asked for once by all who need it, and again before it expires or when the cloud refused it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::exchange::Given;

/// A token this close to its end is not used any more.
const MARGIN: Duration = Duration::from_secs(300);
/// No token is used for longer, whatever its server says.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Credentials whose tokens are kept; those of rotated ones leave when others come.
const MOST: usize = 256;

/// The tokens of a process.
#[derive(Default)]
pub(crate) struct Tokens {
    by_credential: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    slots: HashMap<u64, (u64, Slot)>,
    uses: u64,
}

type Slot = Arc<tokio::sync::Mutex<Option<Kept>>>;

struct Kept {
    token: Arc<str>,
    good_until: Instant,
}

impl Tokens {
    /// The token of a credential; `ask` is called when there is none that is good for a while. Who comes meanwhile waits.
    pub(crate) async fn of<E, F>(
        &self,
        credential: u64,
        now: impl Fn() -> Instant,
        ask: impl FnOnce() -> F,
    ) -> Result<Arc<str>, E>
    where
        F: Future<Output = Result<Given, E>>,
    {
        let slot = self.slot(credential);
        let mut kept = slot.lock().await;
        let asked = now();
        if let Some(kept) = kept.as_ref().filter(|kept| kept.good_until > asked) {
            return Ok(kept.token.clone());
        }
        let Given { token, good_for } = ask().await?;
        let (token, good_for): (Arc<str>, _) = (token.into(), good_for.min(LONGEST));
        // One that is short-lived is used once and asked for again.
        let good_until = asked + good_for.saturating_sub(MARGIN.min(good_for / 2));
        *kept = Some(Kept { token: token.clone(), good_until });
        Ok(token)
    }

    /// Forgets a token that the cloud refused.
    pub(crate) fn forget(&self, credential: u64) {
        self.by_credential.lock().slots.remove(&credential);
    }

    fn slot(&self, credential: u64) -> Slot {
        let mut guard = self.by_credential.lock();
        let Slots { slots, uses } = &mut *guard;
        *uses += 1;
        if !slots.contains_key(&credential) && slots.len() >= MOST {
            let oldest = slots.iter().min_by_key(|(_, (used, _))| *used).map(|(credential, _)| *credential);
            oldest.map(|oldest| slots.remove(&oldest));
        }
        let (used, slot) = slots.entry(credential).or_default();
        *used = *uses;
        slot.clone()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.by_credential.lock().slots.len())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    async fn ask(tokens: &Tokens, credential: u64, now: Instant, asked: &AtomicUsize) -> Arc<str> {
        let give = || async {
            let number = asked.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(Given { token: format!("t{number}"), good_for: Duration::from_secs(3600) })
        };
        tokens.of(credential, || now, give).await.unwrap()
    }

    #[tokio::test]
    async fn a_token_is_asked_for_once_until_shortly_before_its_end() {
        let (tokens, asked, now) = (Tokens::default(), AtomicUsize::new(0), Instant::now());
        for (after, expected) in [(0, "t0"), (3299, "t0"), (3300, "t1"), (3301, "t1")] {
            assert_eq!(
                &*ask(&tokens, 1, now + Duration::from_secs(after), &asked).await,
                expected,
                "{after}"
            );
        }
    }

    #[tokio::test]
    async fn a_token_without_an_end_does_not_bring_the_process_down() {
        let (tokens, now) = (Tokens::default(), Instant::now());
        let give = || async {
            Ok::<_, Infallible>(Given { token: "t".into(), good_for: Duration::from_secs(u64::MAX) })
        };
        assert_eq!(&*tokens.of(1, || now, give).await.unwrap(), "t");
    }

    #[tokio::test]
    async fn a_refused_token_is_asked_for_again() {
        let (tokens, asked, now) = (Tokens::default(), AtomicUsize::new(0), Instant::now());
        ask(&tokens, 1, now, &asked).await;
        tokens.forget(1);
        assert_eq!(&*ask(&tokens, 1, now, &asked).await, "t1");
    }

    #[tokio::test]
    async fn rotated_credentials_do_not_pile_up() {
        let (tokens, asked, now) = (Tokens::default(), AtomicUsize::new(0), Instant::now());
        for credential in 0..1000 {
            ask(&tokens, credential, now, &asked).await;
            ask(&tokens, 0, now, &asked).await;
        }
        assert_eq!(asked.load(Ordering::SeqCst), 1000, "the one in use stays");
        assert_eq!(format!("{tokens:?}"), "Tokens(256)");
    }
}
