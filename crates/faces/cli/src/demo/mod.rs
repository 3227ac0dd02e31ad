//! `stillpoint demo`: signs in to an app by the engine's own verbs, and shows how rest was found.

mod cast;
mod record;
mod timeline;

use crate::engine::Desk;
use crate::exit::Exit;
use crate::output;
use crate::paint::{self, BAD, BOLD, CALM, DIM, GOOD, RESET};
use crate::table;
use anyhow::Context;
use cast::Cast;
use clap::ArgMatches;
use record::{Recorder, Wait};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stillpoint_core::settle::{Rules, Scope};
use stillpoint_core::{Error, Result};
use stillpoint_engine::Session;
use stillpoint_engine::backend::Deadline;
use stillpoint_engine::verbs::{self, Answer, Call, Verdict};

/// Quiet for so long is rest, before the app is touched.
const FIRST_WINDOW: u64 = 300;
/// Quiet for so long is rest, while the form is filled in.
const FORM_WINDOW: u64 = 150;
/// Signing in takes a while of its own; a window longer than its pauses is not fooled by them.
const SIGN_IN_WINDOW: u64 = 500;
/// No step takes as long as this.
const STEP: Duration = Duration::from_secs(10);

/// A step of the story, done.
struct Step {
    name: &'static str,
    took: Duration,
    told: String,
}

/// The story so far.
struct Story<'a> {
    desk: &'a Desk,
    cast: Cast,
    session: Session,
    call: Call,
    steps: Vec<Step>,
    waits: Vec<Wait>,
    /// All that was answered, to prove that the password is not in it.
    answers: String,
}

/// Plays the demo: act, wait, delta, verify.
pub(crate) async fn run(desk: &Desk, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let real = matches.get_flag("desktop");
    let cast = if real { cast::on_a_desktop(desk).await? } else { cast::simulated(desk).await? };
    if !desk.out.json {
        desk.out.text(&format!("{BOLD}Stillpoint demo{RESET} {DIM}· {}{RESET}\n\n", cast.what))?;
    }
    let session = cast.session.clone();
    let recorder = Recorder::start(&session);
    let call = Call { cancel: desk.cancel.clone(), ..Call::default() };
    let mut story =
        Story { desk, cast, session, call, steps: Vec::new(), waits: Vec::new(), answers: String::new() };
    let last = story.play().await?;
    if last.verdict() != Verdict::Done {
        return desk.out.answer(&*last);
    }
    let record = recorder.finish(&story.session, std::mem::take(&mut story.waits));
    let proof = story.verify().await?;
    let verified = proof.iter().all(|(_, holds)| *holds);
    let picture = story.picture(matches.get_one::<PathBuf>("screenshot")).await?;
    if desk.out.json {
        let proof: Vec<Value> =
            proof.iter().map(|(what, holds)| json!({ "expected": what, "holds": holds })).collect();
        let steps = story.steps.iter();
        let steps: Vec<Value> =
            steps.map(|s| json!({ "name": s.name, "took_ms": millis(s.took), "told": s.told })).collect();
        desk.out.value(&json!({
            "target": story.session.target().to_string(),
            "verified": verified,
            "steps": steps,
            "timeline": record.json(),
            "delta": last.json()?.get("delta"),
            "proof": proof,
            "screenshot": picture,
        }))?;
    } else {
        let drawn = timeline::draw(&record, output::width());
        let changed = paint::answer(&last.text()).replace('\n', "\n  ");
        desk.out.text(&format!("\n{BOLD}What it answered{RESET}\n  {}\n\n{drawn}\n", changed.trim_end()))?;
        tell_proof(desk, &proof)?;
        if let Some(picture) = picture {
            desk.out.note(&format!("{DIM}picture: {picture}{RESET}"));
        }
    }
    Ok(if verified { Exit::Done } else { Exit::No })
}

impl Story<'_> {
    /// The steps up to the new screen; the answer to the last of them, or to the one that failed.
    async fn play(&mut self) -> anyhow::Result<Box<dyn Answer>> {
        let elements = self.session.read(|tree| tree.walk().count());
        let attached = format!("{elements} elements, revision {}", self.session.revision());
        self.told("attach to the app", self.session.now().since(stillpoint_core::Moment::START), attached)?;
        let steps: [(&'static str, &str, Value, u64); 4] = [
            (
                "wait until it is at rest",
                "wait_for_idle",
                json!({ "stability_window_ms": FIRST_WINDOW }),
                FIRST_WINDOW,
            ),
            (
                "type the user's name",
                "type_text",
                json!({ "selector": "textbox \"Username\"", "text": "ada", "settle_window_ms": FORM_WINDOW }),
                FORM_WINDOW,
            ),
            (
                "type the password",
                "type_text",
                json!({ "selector": "textbox \"Password\"", "text": self.cast.password, "settle_window_ms": FORM_WINDOW }),
                FORM_WINDOW,
            ),
            (
                "tap \"Sign in\", expect a welcome",
                "tap",
                json!({
                    "selector": "button \"Sign in\"",
                    "settle_window_ms": SIGN_IN_WINDOW,
                    "expect": self.cast.welcome,
                }),
                SIGN_IN_WINDOW,
            ),
        ];
        let mut last = None;
        for (name, verb, params, window) in steps {
            let answer = self.act(name, verb, params, Duration::from_millis(window)).await?;
            if answer.verdict() != Verdict::Done {
                return Ok(answer);
            }
            last = Some(answer);
        }
        last.context("the demo has no steps")
    }

    /// One verb, with a watch of our own beside it that sees the same rest and remembers how it was found.
    async fn act(
        &mut self,
        name: &'static str,
        verb: &str,
        params: Value,
        window: Duration,
    ) -> anyhow::Result<Box<dyn Answer>> {
        let verb = known(verb)?;
        let rules = Rules {
            window,
            needs_change: !verb.read_only,
            expected: None,
            scope: Scope::Screen,
            ignore: Vec::new(),
            mask_volatile: true,
        };
        let watch = self.session.watch(rules, None, Deadline::after(STEP))?;
        let began = self.session.now();
        let running = (verb.run)(&self.session, params, &self.call);
        let enough = self.desk.cancel.child_token();
        let verb_done = async {
            let answer = running.await;
            // The watch beside it sees the same rest at the same time; where nothing changed, it would see none.
            let (token, when) = (enough.clone(), Deadline::after(window));
            tokio::spawn(async move {
                tokio::time::sleep_until(when.instant()).await;
                token.cancel();
            });
            answer
        };
        let (answer, watched) = tokio::join!(verb_done, watch.settled(&enough));
        let answer = answer?;
        let value = answer.json()?;
        self.answers.push_str(&value.to_string());
        self.answers.push_str(&answer.text());
        let restarts = match watched.resets.len() {
            0 => String::new(),
            1 => "; the window began anew once".to_owned(),
            n => format!("; the window began anew {n} times"),
        };
        let told = format!("{}{restarts}", outcome(&value));
        self.waits.push(Wait { act: (!verb.read_only).then_some(began), window, watched });
        self.told(name, self.session.now().since(began), told)?;
        Ok(answer)
    }

    fn told(&mut self, name: &'static str, took: Duration, told: String) -> anyhow::Result<()> {
        if !self.desk.out.json {
            let number = self.steps.len() + 1;
            let room = output::width().saturating_sub(49).max(20);
            self.desk.out.text(&format!(
                "  {GOOD}✔{RESET} {CALM}{number}{RESET} {name:<32} {DIM}{:>6} ms{RESET}  {}\n",
                millis(took),
                paint::words(&table::cut(&told, room)),
            ))?;
        }
        self.steps.push(Step { name, took, told });
        Ok(())
    }

    /// What is true now, each with whether it holds.
    async fn verify(&mut self) -> anyhow::Result<Vec<(String, bool)>> {
        let mut proof = Vec::new();
        let claims = std::mem::take(&mut self.cast.claims);
        for (verb, params) in claims {
            let answer = (known(verb)?.run)(&self.session, params, &self.call).await?;
            let value = answer.json()?;
            self.answers.push_str(&value.to_string());
            let what = value.get("expected").and_then(Value::as_str).unwrap_or(verb);
            proof.push((what.to_owned(), answer.verdict() == Verdict::Done));
        }
        let snapshot = (known("snapshot")?.run)(&self.session, json!({}), &self.call).await?;
        self.answers.push_str(&snapshot.text());
        let size = self.answers.len();
        let hidden = !self.answers.contains(self.cast.password);
        proof.push((format!("the password is nowhere in {size} bytes of answers"), hidden));
        Ok(proof)
    }

    async fn picture(&self, file: Option<&PathBuf>) -> anyhow::Result<Option<String>> {
        let Some(file) = file else { return Ok(None) };
        let picture = self.session.backend().screenshot(None, Deadline::after(STEP)).await?;
        write(file, &picture)?;
        Ok(Some(file.display().to_string()))
    }
}

/// Writes a file, and the folders around it where they are missing.
pub(crate) fn write(file: &Path, content: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = file.parent().filter(|f| !f.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    std::fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}

fn known(verb: &str) -> Result<&'static verbs::VerbSpec> {
    verbs::by_name(verb).ok_or_else(|| Error::internal(format!("the engine has no verb {verb}")))
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis() as u64
}

/// How a verb went, in a few words.
fn outcome(value: &Value) -> String {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    match (text("lifecycle_state"), text("stability_state")) {
        (Some("verified"), Some(state)) => format!("verified, {state}"),
        (Some("failed"), _) => "failed".to_owned(),
        (Some(_), Some(state)) => format!("done, {state}"),
        (None, Some(state)) => state.to_owned(),
        _ => "done".to_owned(),
    }
}

fn tell_proof(desk: &Desk, proof: &[(String, bool)]) -> anyhow::Result<()> {
    let mut text = format!("{BOLD}Proof{RESET}\n");
    for (what, holds) in proof {
        let mark = if *holds { format!("{GOOD}✔{RESET}") } else { format!("{BAD}✘{RESET}") };
        let _ = writeln!(text, "  {mark} {}", paint::words(what));
    }
    desk.out.text(&text)?;
    Ok(())
}
