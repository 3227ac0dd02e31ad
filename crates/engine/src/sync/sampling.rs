//! Looks at an app that tells nothing by itself: on request, and on core's schedule while somebody waits. One task does
//! all of them, one after the other, so that an older look never overwrites a newer one.

use crate::backend::{Deadline, End, Scope};
use crate::session::{Inner, Session};
use std::sync::{Arc, Weak};
use std::time::Duration;
use stillpoint_core::settle::{Sample, Sampler, SamplerRules};
use stillpoint_core::{Code, Error, Result};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// How long one look may take.
const LONGEST: Duration = Duration::from_secs(5);
/// After a look that failed, the app gets this much rest.
const RESPITE: Duration = Duration::from_millis(100);
/// How many may ask at once.
const ASKING: usize = 64;

type Asked = oneshot::Sender<Result<()>>;

/// The way to the task that looks.
pub(crate) struct Sampling {
    waiting: watch::Sender<usize>,
    asked: mpsc::Sender<Asked>,
}

impl Sampling {
    /// The way, and what the task gets.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Asked>) {
        let (asked, inbox) = mpsc::channel(ASKING);
        (Sampling { waiting: watch::Sender::new(0), asked }, inbox)
    }

    /// Starts the task. It ends when nobody holds the session any more.
    pub(crate) fn spawn(&self, inner: &Arc<Inner>, inbox: mpsc::Receiver<Asked>, rules: SamplerRules) {
        let task = Task {
            session: Arc::downgrade(inner),
            asked: inbox,
            waiting: self.waiting.subscribe(),
            rules,
            sampler: Sampler::new(rules),
            last: None,
            not_before: Instant::now(),
        };
        tokio::spawn(task.run());
        if inner.omits_events() {
            super::probing::spawn(inner, self.waiting.subscribe());
        }
    }
}

/// Somebody waits: looks go on until this is dropped.
pub(crate) struct Waiting(Session);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.sampling().waiting.send_modify(|n| *n -= 1);
    }
}

impl Session {
    /// Keeps looks going while something is awaited, where the app tells nothing by itself.
    pub(crate) fn keep_sampling(&self) -> Waiting {
        self.listen();
        self.sampling().waiting.send_modify(|n| *n += 1);
        Waiting(self.clone())
    }

    /// One look that begins after this call; then the mirror is what the app showed.
    pub(crate) async fn look(&self, deadline: Deadline) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        let round_trip = async {
            let gone = || self.alive().err().unwrap_or_else(|| Error::internal("nobody looks any more"));
            self.sampling().asked.send(reply).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        };
        deadline.bound("a look at all of it", round_trip).await
    }

    /// Brings the mirror up to date before it is read: where no events do, and where the app's word that it is idle was
    /// passed on before what it had told was read.
    pub(crate) async fn catch_up(&self, deadline: Deadline) -> Result<()> {
        if !self.hears_events() {
            return self.look(deadline).await;
        }
        if let Some(debt) = self.word().debt() {
            self.barrier(deadline).await?;
            self.word().paid(debt);
        }
        Ok(())
    }
}

struct Task {
    session: Weak<Inner>,
    asked: mpsc::Receiver<Asked>,
    waiting: watch::Receiver<usize>,
    rules: SamplerRules,
    sampler: Sampler,
    last: Option<Sample>,
    not_before: Instant,
}

impl Task {
    async fn run(mut self) {
        let mut waited = 0;
        loop {
            let due = self.due();
            let mut asked = Vec::new();
            tokio::select! {
                biased;
                first = self.asked.recv() => match first {
                    Some(first) => asked.push(first),
                    None => return,
                },
                changed = self.waiting.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let now = *self.waiting.borrow_and_update();
                    if waited == 0 {
                        self.sampler = Sampler::new(self.rules);
                        self.last = None;
                    }
                    waited = now;
                    continue;
                }
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
            }
            while let Ok(more) = self.asked.try_recv() {
                asked.push(more);
            }
            let Some(inner) = self.session.upgrade() else { return };
            let outcome = self.look(&Session::from(inner)).await;
            for reply in asked {
                // Whoever asked may have given up; then nobody needs the answer.
                drop(reply.send(outcome.clone()));
            }
        }
    }

    /// When to look next; `None` if nobody waits.
    fn due(&self) -> Option<Instant> {
        let session = Session::from(self.session.upgrade()?);
        if *self.waiting.borrow() == 0 || session.hears_events() || session.end().is_some() {
            return None;
        }
        let due = match (self.last, self.sampler.next_look()) {
            (Some(last), Some(next)) => {
                // A window that ends sooner is looked at when it ends, but looking never takes more than half of the time.
                let free = last.ended + last.ended.since(last.began);
                let wanted = session.state().quiet_after(last.began).map_or(next, |quiet| quiet.min(next));
                session.instant(wanted.max(free))
            }
            _ => Instant::now(),
        };
        Some(due.max(self.not_before))
    }

    async fn look(&mut self, session: &Session) -> Result<()> {
        session.alive()?;
        let began = session.now();
        let deadline = Deadline::after(LONGEST);
        let read = session.backend().refresh(Scope::Everything, deadline);
        let changes = match deadline.bound("a look at all of it", read).await {
            Ok(changes) => changes,
            Err(error) => {
                if error.code == Code::TargetLost {
                    session.lose(End::Lost(error.clone()));
                }
                self.not_before = Instant::now() + RESPITE;
                return Err(error);
            }
        };
        let (semantic, layout) = session.looked(began, changes);
        let sample = Sample { began, ended: session.now(), semantic, layout };
        self.sampler.sampled(sample);
        self.last = Some(sample);
        Ok(())
    }
}
