//! A verb, from the words on the command line to its answer.

use crate::engine::{Desk, interrupted, open};
use crate::exit::Exit;
use crate::grammar::{SETTING, SYNC, TARGET, place};
use crate::params::{self, Param, flag};
use crate::picture::Picture;
use crate::progress;
use crate::route;
use crate::words::{self, Use};
use clap::ArgMatches;
use clap::parser::ValueSource;
use serde_json::{Map, Value, json};
use std::time::Duration;
use stillpoint_core::{Error, Result, Target};
use stillpoint_daemon::Form;
use stillpoint_engine::backend::AttachOptions;
use stillpoint_engine::verbs::{Answer, Call, VerbSpec};

/// How long a cancelled verb may take to say what it saw.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Runs what `word` means.
pub(crate) async fn run(desk: &Desk, word: &str, matches: &ArgMatches) -> anyhow::Result<Exit> {
    let target = target(matches)?;
    let (verb, params) = understand(word, &words::uses(word), matches)?;
    let picture = (verb.name == "screenshot").then(|| Picture::wanted(desk.out, matches)).transpose()?;
    let what = format!("{word} {target}");
    let answer = if route::to_daemon(matches, &target) {
        through_the_daemon(desk, &what, verb, params, matches, &target).await?
    } else {
        here(desk, &what, verb, params, matches, &target).await?
    };
    if let (Some(picture), Some(png)) = (picture, answer.picture()) {
        picture.keep(png)?;
        if matches!(picture, Picture::Stdout) {
            return Ok(answer.verdict().into());
        }
    }
    desk.out.answer(&*answer)
}

/// In a session that lasts as long as this call.
async fn here(
    desk: &Desk,
    what: &str,
    verb: &VerbSpec,
    params: Value,
    matches: &ArgMatches,
    target: &Target,
) -> Result<Box<dyn Answer>> {
    let session = open(&desk.engine, target, &options(matches)?, &desk.cancel).await?;
    // Nobody is asked here: what is destructive needs the caller's own `--confirm`.
    let call = Call { cancel: desk.cancel.clone(), ..Call::default() };
    let answering = async {
        tokio::select! {
            answer = (verb.run)(&session, params, &call) => answer,
            () = given_up(desk) => Err(interrupted()),
        }
    };
    progress::during(Some(&session), what, answering).await
}

/// In the session that the daemon holds, or opens now.
async fn through_the_daemon(
    desk: &Desk,
    what: &str,
    verb: &VerbSpec,
    params: Value,
    matches: &ArgMatches,
    target: &Target,
) -> Result<Box<dyn Answer>> {
    let Value::Object(mut params) = params else { return Err(Error::internal("parameters are an object")) };
    params.insert("app".to_owned(), target.to_string().into());
    let answering = async {
        let settings = options(matches)?.settings;
        if !settings.is_empty() {
            let asked = json!({ "app": target.to_string(), "settings": settings });
            route::call(Form::Json, "open", asked, &desk.cancel).await?;
        }
        route::call(desk.out.form(), verb.name, Value::Object(params), &desk.cancel).await
    };
    Ok(Box::new(progress::during(None, what, answering).await?))
}

async fn given_up(desk: &Desk) {
    desk.cancel.cancelled().await;
    tokio::time::sleep(LAST_WORDS).await;
}

/// The target that was given.
pub(crate) fn target(matches: &ArgMatches) -> Result<Target> {
    matches.get_one::<String>(TARGET).map_or("", String::as_str).parse()
}

/// How to attach, as it was given.
pub(crate) fn options(matches: &ArgMatches) -> Result<AttachOptions> {
    let mut options = settings(matches.get_many::<String>(SETTING).into_iter().flatten())?;
    // Not every command that attaches has the flag.
    if let Ok(Some(mode)) = matches.try_get_one::<String>(SYNC) {
        options.settings.insert("sync".to_owned(), mode.clone());
    }
    Ok(options)
}

/// Settings of a backend, each as NAME=VALUE.
pub(crate) fn settings<'a>(given: impl Iterator<Item = &'a String>) -> Result<AttachOptions> {
    let mut options = AttachOptions::default();
    for setting in given {
        let (name, value) = setting.split_once('=').ok_or_else(|| {
            Error::invalid(format!("--attach-option {setting:?} has no value"), "write it as NAME=VALUE")
        })?;
        options.settings.insert(name.to_owned(), value.to_owned());
    }
    Ok(options)
}

/// Which verb is meant, with its parameters.
fn understand(word: &str, uses: &[Use], matches: &ArgMatches) -> Result<(&'static VerbSpec, Value)> {
    let mut given: Vec<&str> = (0..)
        .map_while(|n| matches.try_get_one::<String>(&place(n)).ok().flatten())
        .map(String::as_str)
        .collect();
    let usage = uses.iter().map(|u| u.usage(word)).collect::<Vec<_>>().join(" | ");
    let was_given = |p: &Param| matches.value_source(&p.name) == Some(ValueSource::CommandLine);
    let knows_all = |u: &Use| {
        let mut flags = uses.iter().flat_map(|u| &u.params).filter(|p| was_given(p));
        flags.all(|p| u.params.iter().any(|own| own.name == p.name))
    };
    let by_keyword = given.first().and_then(|first| uses.iter().find(|u| u.form.keyword == Some(*first)));
    let using = if let Some(found) = by_keyword {
        given.remove(0);
        found
    } else {
        // Of forms without a keyword, the first that knows every flag that was given.
        let plain = || uses.iter().filter(|u| u.form.keyword.is_none());
        plain().find(|u| knows_all(u)).or_else(|| plain().next()).ok_or_else(|| {
            Error::invalid(format!("{word} does not know what is meant"), format!("usage: {usage}"))
        })?
    };
    let mut strays = uses.iter().flat_map(|u| &u.params).filter(|p| was_given(p));
    if let Some(stray) = strays.find(|p| !using.params.iter().any(|own| own.name == p.name)) {
        let own: Vec<String> = using.params.iter().map(|p| format!("--{}", flag(&p.name))).collect();
        return Err(Error::invalid(
            format!("{} has no --{}", using.verb.name, flag(&stray.name)),
            format!("it takes {}", own.join(", ")),
        ));
    }
    let mut values = Map::new();
    for param in &using.params {
        if let Some(value) = param.given_by_flag(matches)? {
            values.insert(param.name.clone(), value);
        }
    }
    params::fill(&using.places(), &given, &usage, &mut values)?;
    if let Some(missing) = using.params.iter().find(|p| p.required && !values.contains_key(&p.name)) {
        return Err(Error::invalid(
            format!("--{} is missing: {}", flag(&missing.name), missing.doc),
            format!("usage: {usage}"),
        ));
    }
    Ok((using.verb, Value::Object(values)))
}
