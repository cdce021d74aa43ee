//! Single looks as a table; whole lives in `world`.

mod world;

use std::time::Duration;

use jiff::Timestamp;

use super::*;
use crate::self_signed::authority::Authority;
use crate::self_signed::carry_out::carry_out;

pub(super) const SECOND: Duration = Duration::from_secs(1);

pub(super) const TIMES: Times = Times {
    certificate: Duration::from_secs(600),
    authority: Duration::from_secs(2400),
    settle: Duration::from_secs(60),
    retire: Duration::from_secs(90),
};

pub(super) fn start() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

pub(super) fn names() -> ServerNames {
    ServerNames::new("hook", "ns", &[]).unwrap()
}

/// One look.
struct Look {
    content: Option<Content>,
    served: Option<Pair>,
    bundles: Vec<Vec<u8>>,
    names: ServerNames,
    now: Timestamp,
}

impl Look {
    /// Everything in order since an hour of one second: published, settled, nothing due.
    fn at_rest() -> Self {
        let first =
            Look { content: None, served: None, bundles: vec![Vec::new(); 2], names: names(), now: start() };
        let step = first.plan();
        let mut content = carry_out(&step, None, &names(), TIMES, start()).unwrap().unwrap();
        content.published = Some(start());
        let bundle = content.bundle().into_bytes();
        Self {
            served: content.serving.clone(),
            bundles: vec![bundle.clone(), bundle],
            content: Some(content),
            now: start() + 100 * SECOND,
            ..first
        }
    }

    /// A rotation after its first step, with the new CA known everywhere.
    fn amid_rotation() -> Self {
        let mut look = Self::at_rest();
        look.now = start() + 1700 * SECOND;
        let authority = look.content.as_ref().unwrap().authority.clone().unwrap();
        let serving = authority.issue(&names(), look.now, TIMES.certificate).unwrap();
        (look.content().serving, look.served) = (Some(serving.clone()), Some(serving));
        let step = look.plan();
        look.content = carry_out(&step, look.content.as_ref(), &names(), TIMES, look.now).unwrap();
        look.content().published = Some(look.now);
        let bundle = look.content().bundle().into_bytes();
        look.bundles = vec![bundle.clone(), bundle];
        look
    }

    fn content(&mut self) -> &mut Content {
        self.content.as_mut().unwrap()
    }

    fn plan(&self) -> Step {
        plan(&Sight {
            content: self.content.as_ref(),
            served: self.served.as_ref(),
            bundles: &self.bundles,
            names: &self.names,
            times: TIMES,
            now: self.now,
        })
    }

    fn says(&self) -> String {
        word(&self.plan())
    }
}

pub(super) fn word(step: &Step) -> String {
    match step {
        Step::Begin { why, others, serving } => {
            format!(
                "begin {why:?} beside {} {}",
                others.len(),
                if serving.is_some() { "serving" } else { "mute" }
            )
        }
        Step::Recall { others } => format!("recall {}", others.len()),
        Step::Unmark => "unmark".to_owned(),
        Step::Publish => "publish".to_owned(),
        Step::Mark => "mark".to_owned(),
        Step::Restore(_) => "restore".to_owned(),
        Step::Issue => "issue".to_owned(),
        Step::Retire => "retire".to_owned(),
        Step::Rest(until) => format!("rest {}", until.as_second() - start().as_second()),
    }
}

fn another_ca() -> Authority {
    Authority::generate(start(), TIMES.authority).unwrap()
}

#[test]
fn each_sight_has_one_next_step() {
    type Change = fn(&mut Look);
    let table: [(&str, Change, &str); 20] = [
        ("nothing to do", |_| {}, "rest 380"),
        ("renewal is due", |look| look.now = start() + 400 * SECOND, "issue"),
        ("expired all over", |look| look.now = start() + 2500 * SECOND, "begin Due beside 0 mute"),
        ("the certificate has expired", |look| look.now = start() + 700 * SECOND, "issue"),
        ("no Secret", |look| look.content = None, "begin Missing beside 1 serving"),
        (
            "no Secret, and a leader that serves nothing",
            |look| (look.content, look.served) = (None, None),
            "begin Missing beside 1 mute",
        ),
        (
            "the first start of all",
            |look| {
                (look.content, look.served, look.bundles) =
                    (None, None, vec![Vec::new(), b"garbage".to_vec()])
            },
            "begin Missing beside 0 mute",
        ),
        ("the CA is broken", |look| look.content().authority = None, "begin Broken beside 1 serving"),
        ("a configuration was emptied", |look| look.bundles[1] = Vec::new(), "unmark"),
        (
            "the same after it was noted",
            |look| (look.bundles[1], look.content().published) = (Vec::new(), None),
            "publish",
        ),
        ("all know it", |look| look.content().published = None, "mark"),
        ("noted by a clock ahead", |look| look.content().published = Some(start() + 900 * SECOND), "mark"),
        ("never noted when it was issued", |look| look.content().issued = None, "mark"),
        ("no configuration is ours", |look| look.bundles.clear(), "rest 380"),
        ("the certificate is broken", |look| look.content().serving = None, "restore"),
        (
            "the same, and nobody remembers it",
            |look| (look.content().serving, look.served) = (None, None),
            "issue",
        ),
        (
            "the same, and the CA is not known for long",
            |look| {
                (look.content().serving, look.served) = (None, None);
                look.content().published = Some(start() + 90 * SECOND);
            },
            "rest 150",
        ),
        (
            "the Service has another name",
            |look| look.names = ServerNames::new("other", "ns", &[]).unwrap(),
            "issue",
        ),
        ("somebody put in another CA", |look| look.content().authority = Some(another_ca()), "recall 1"),
        (
            "a certificate of a stranger was put in",
            |look| {
                let stranger = another_ca().issue(&names(), start(), TIMES.certificate).unwrap();
                look.content().serving = Some(stranger);
            },
            "restore",
        ),
    ];
    for (what, change, wanted) in table {
        let mut look = Look::at_rest();
        change(&mut look);
        assert_eq!(look.says(), wanted, "{what}");
    }
}

#[test]
fn a_rotation_waits_for_what_its_next_step_needs() {
    type Change = fn(&mut Look);
    let table: [(&str, Change, &str); 5] = [
        ("the new CA is known since now", |_| {}, "rest 1760"),
        ("it is known for long enough", |look| look.now += 60 * SECOND, "issue"),
        ("the old CA was lost from the Secret", |look| look.content().others.clear(), "recall 1"),
        (
            "the new certificate is there since now",
            |look| {
                look.now += 60 * SECOND;
                look.content =
                    carry_out(&Step::Issue, look.content.as_ref(), &names(), TIMES, look.now).unwrap();
                look.served = look.content().serving.clone();
            },
            "rest 1850",
        ),
        (
            "it is there for long enough",
            |look| {
                look.now += 60 * SECOND;
                look.content =
                    carry_out(&Step::Issue, look.content.as_ref(), &names(), TIMES, look.now).unwrap();
                look.served = look.content().serving.clone();
                look.now += 90 * SECOND;
            },
            "retire",
        ),
    ];
    for (what, change, wanted) in table {
        let mut look = Look::amid_rotation();
        change(&mut look);
        assert_eq!(look.says(), wanted, "{what}");
    }
}

#[test]
fn a_bundle_never_grows_without_end() {
    let mut look = Look::at_rest();
    let crowd: String = (0..20).map(|_| another_ca().anchor().pem()).collect();
    look.bundles = vec![crowd.into_bytes()];
    look.content = None;
    assert_eq!(look.says(), "begin Missing beside 16 mute");
}
