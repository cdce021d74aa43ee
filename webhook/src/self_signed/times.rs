//! How long things live and how long each step of a rotation is given.

use std::time::Duration;

/// The times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Of a serving certificate.
    pub(crate) certificate: Duration,
    /// Of a CA.
    pub(crate) authority: Duration,
    /// How long a new CA is in the caBundle before a certificate of it is served.
    pub(crate) settle: Duration,
    /// How long a new certificate is in the Secret before what was trusted for the one before is trusted no more.
    pub(crate) retire: Duration,
}

/// Times under which a request could fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimesError {
    /// It would not be renewed in time.
    #[error(
        "--certificate-lifetime is {lifetime:?} and must be at least six times --ca-settle-time, which is {settle:?}: it is renewed when \
         a third of it is left, and a CA that is being rotated holds that up"
    )]
    CertificateTooShort {
        /// What was given.
        lifetime: Duration,
        /// What it must leave room for.
        settle: Duration,
    },
    /// It would end amid its rotation.
    #[error(
        "--ca-lifetime is {lifetime:?} and must be at least six times --ca-settle-time and --ca-retire-time together, which are \
         {rotation:?}: a rotation begins when a third of it is left"
    )]
    AuthorityTooShort {
        /// What was given.
        lifetime: Duration,
        /// What it must leave room for.
        rotation: Duration,
    },
    /// Certificates would be cut short.
    #[error(
        "--certificate-lifetime is {lifetime:?} and must be at most half of --ca-lifetime, which is {authority:?}"
    )]
    CertificateTooLong {
        /// What was given.
        lifetime: Duration,
        /// Its bound.
        authority: Duration,
    },
    /// A replica would not have looked by then.
    #[error(
        "{flag} is {time:?} and must be at least twice --tls-reload-interval, which is {interval:?}: every replica must have looked by then"
    )]
    LookedTooSeldom {
        /// Which one.
        flag: &'static str,
        /// What was given.
        time: Duration,
        /// What it must leave room for.
        interval: Duration,
    },
}

impl Times {
    /// Refuses times that leave no room for a rotation in good order. `interval` is how often replicas look.
    pub(crate) fn check(self, interval: Duration) -> Result<Self, TimesError> {
        let Self { certificate, authority, settle, retire } = self;
        if certificate < settle * 6 {
            return Err(TimesError::CertificateTooShort { lifetime: certificate, settle });
        }
        let rotation = settle + retire;
        if authority < rotation * 6 {
            return Err(TimesError::AuthorityTooShort { lifetime: authority, rotation });
        }
        if certificate > authority / 2 {
            return Err(TimesError::CertificateTooLong { lifetime: certificate, authority });
        }
        for (flag, time) in [("--ca-settle-time", settle), ("--ca-retire-time", retire)] {
            if time < interval * 2 {
                return Err(TimesError::LookedTooSeldom { flag, time, interval });
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_leave_no_room_are_refused_with_the_flag_to_change() {
        let second = Duration::from_secs(1);
        let good = Times {
            certificate: 2160 * 3600 * second,
            authority: 8760 * 3600 * second,
            settle: 60 * second,
            retire: 600 * second,
        };
        assert_eq!(good.check(30 * second), Ok(good));
        for (bad, wanted) in [
            (Times { certificate: 359 * second, ..good }, "--certificate-lifetime is 359s"),
            (Times { authority: 3959 * second, ..good }, "--ca-lifetime is 3959s"),
            (Times { certificate: 5000 * 3600 * second, ..good }, "at most half"),
            (Times { settle: 59 * second, ..good }, "--ca-settle-time is 59s"),
            (Times { retire: 59 * second, ..good }, "--ca-retire-time is 59s"),
        ] {
            let error = bad.check(30 * second).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
    }
}
