//! The iOS agent through `xcodebuild`: command lines only, nothing is run here.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{AgentCommand, LifecycleOptions};
use crate::DEFAULT_PORT;
use crate::codec::{ClientHello, Token};

/// Where the agent's Xcode project is, and which device it shall run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XcodebuildPreset {
    /// The folder with the Xcode project (`agents/ios`, after `xcodegen generate`).
    pub project_dir: PathBuf,
    /// The simulator or device.
    pub udid: String,
    /// The agent's port: 8080.
    pub agent_port: u16,
    /// The secret that the agent shall ask for.
    pub token: Option<String>,
}

impl XcodebuildPreset {
    const PROJECT: &'static str = "StillpointAgent.xcodeproj";
    const SCHEME: &'static str = "StillpointAgentUITests";
    const TEST: &'static str = "StillpointAgentUITests/AgentRunner/testServe";
    const RUNNER_BUNDLE: &'static str = "dev.stillpoint.agent.uitests.xctrunner";

    /// A preset on the default port.
    pub fn new(project_dir: impl Into<PathBuf>, udid: impl Into<String>) -> Self {
        Self { project_dir: project_dir.into(), udid: udid.into(), agent_port: DEFAULT_PORT, token: None }
    }

    fn xcodebuild(&self, action: &str) -> AgentCommand {
        let mut destination = OsString::from("id=");
        destination.push(&self.udid);
        AgentCommand::new("xcodebuild")
            .arg(action)
            .args(["-project", Self::PROJECT, "-scheme", Self::SCHEME, "-destination"])
            .arg(destination)
            .args(["-derivedDataPath", ".build"])
            .current_dir(&self.project_dir)
    }

    /// Builds the test bundle; needed once.
    pub fn build(&self) -> AgentCommand {
        self.xcodebuild("build-for-testing")
    }

    /// Runs the agent. Variables with the prefix `TEST_RUNNER_` reach the test process without it.
    pub fn run(&self) -> AgentCommand {
        let mut command = self
            .xcodebuild("test-without-building")
            .arg(format!("-only-testing:{}", Self::TEST))
            .env("TEST_RUNNER_STILLPOINT_AGENT_PORT", self.agent_port.to_string())
            .env("TEST_RUNNER_STILLPOINT_DEVICE_UDID", &self.udid);
        if let Some(token) = &self.token {
            command = command.env("TEST_RUNNER_STILLPOINT_AGENT_TOKEN", token);
        }
        command
    }

    /// Ends a test runner that outlived `xcodebuild` on a simulator.
    pub fn stop(&self) -> AgentCommand {
        AgentCommand::new("xcrun").args(["simctl", "terminate", &self.udid, Self::RUNNER_BUNDLE])
    }

    /// The whole lifecycle: build once, run, clean up, reuse only on the same device.
    pub fn lifecycle(&self) -> LifecycleOptions {
        let mut options = LifecycleOptions::new(self.run());
        options.prepare = Some(self.build());
        options.clean_up = Some(self.stop());
        options.agent_port = self.agent_port;
        options.device_udid = Some(self.udid.clone());
        options.hello = self.token.as_deref().map(|token| ClientHello::new(Some(Token::new(token)), &[]));
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(command: &AgentCommand) -> String {
        let args: Vec<_> = command.args.iter().map(|arg| arg.to_string_lossy()).collect();
        format!("{} {}", command.name(), args.join(" "))
    }

    fn preset() -> XcodebuildPreset {
        XcodebuildPreset { agent_port: 9123, ..XcodebuildPreset::new("agents/ios", "ABC-1") }
    }

    #[test]
    fn it_is_built_for_testing_first() {
        assert_eq!(
            line(&preset().build()),
            "xcodebuild build-for-testing -project StillpointAgent.xcodeproj -scheme StillpointAgentUITests \
             -destination id=ABC-1 -derivedDataPath .build"
        );
    }

    #[test]
    fn it_runs_one_test_without_building_and_knows_its_port() {
        let run = preset().run();
        assert_eq!(
            line(&run),
            "xcodebuild test-without-building -project StillpointAgent.xcodeproj -scheme StillpointAgentUITests \
             -destination id=ABC-1 -derivedDataPath .build \
             -only-testing:StillpointAgentUITests/AgentRunner/testServe"
        );
        assert!(run.env.contains(&("TEST_RUNNER_STILLPOINT_AGENT_PORT".into(), "9123".into())));
        assert_eq!(run.current_dir, Some("agents/ios".into()));
        assert!(!run.env.iter().any(|(name, _)| name == "TEST_RUNNER_STILLPOINT_AGENT_TOKEN"));
    }

    #[test]
    fn a_token_reaches_the_agent_and_the_client() {
        let options = XcodebuildPreset { token: Some("s3cret".into()), ..preset() }.lifecycle();
        assert!(
            options.command.env.contains(&("TEST_RUNNER_STILLPOINT_AGENT_TOKEN".into(), "s3cret".into()))
        );
        assert_eq!(options.hello, Some(ClientHello::new(Some(Token::new("s3cret")), &[])));
        assert_eq!(options.device_udid.as_deref(), Some("ABC-1"));
        assert_eq!(options.agent_port, 9123);
        assert_eq!(
            options.clean_up.as_ref().map(line).as_deref(),
            Some("xcrun simctl terminate ABC-1 dev.stillpoint.agent.uitests.xctrunner")
        );
    }
}
