//! SPEC §13: codes are words that programs can match on. SPEC §1: targets have one syntax.

use serde_json::json;
use stillpoint_core::{Code, Error, Target};

const CODES: [(Code, &str); 24] = [
    (Code::InvalidArgument, "INVALID_ARGUMENT"),
    (Code::InvalidSelector, "INVALID_SELECTOR"),
    (Code::TargetNotFound, "TARGET_NOT_FOUND"),
    (Code::TargetLost, "TARGET_LOST"),
    (Code::TargetUnresponsive, "TARGET_UNRESPONSIVE"),
    (Code::HierarchyEmpty, "HIERARCHY_EMPTY"),
    (Code::PermissionDenied, "PERMISSION_DENIED"),
    (Code::ElementNotFound, "ELEMENT_NOT_FOUND"),
    (Code::AmbiguousTarget, "AMBIGUOUS_TARGET"),
    (Code::StaleReference, "STALE_REFERENCE"),
    (Code::StaleRevision, "STALE_REVISION"),
    (Code::NotActionable, "NOT_ACTIONABLE"),
    (Code::ActionRejected, "ACTION_REJECTED"),
    (Code::Timeout, "TIMEOUT"),
    (Code::VerificationFailed, "VERIFICATION_FAILED"),
    (Code::ControlNotConverged, "CONTROL_NOT_CONVERGED"),
    (Code::BaseRevisionUnavailable, "BASE_REVISION_UNAVAILABLE"),
    (Code::Unsupported, "UNSUPPORTED"),
    (Code::PolicyDenied, "POLICY_DENIED"),
    (Code::RateLimited, "RATE_LIMITED"),
    (Code::AgentUnavailable, "AGENT_UNAVAILABLE"),
    (Code::Protocol, "PROTOCOL"),
    (Code::Cancelled, "CANCELLED"),
    (Code::Internal, "INTERNAL"),
];

#[test]
fn every_code_has_its_name_in_json_and_in_text() {
    for (code, name) in CODES {
        assert_eq!(serde_json::to_value(code).unwrap(), name);
        assert_eq!(serde_json::from_value::<Code>(name.into()).unwrap(), code);
        assert_eq!(code.to_string(), name);
    }
}

#[test]
fn an_error_has_code_message_hint_and_retryable_and_details_only_where_there_are_some() {
    let error = Error::new(Code::Timeout, "it took too long", "give it more time");
    let told = json!({
        "code": "TIMEOUT", "message": "it took too long", "hint": "give it more time", "retryable": true
    });
    assert_eq!(serde_json::to_value(&error).unwrap(), told);
    assert_eq!(serde_json::from_value::<Error>(told).unwrap(), error);
    let error = error.retryable(false).with_details(json!({ "waited_ms": 5 }));
    let told = serde_json::to_value(&error).unwrap();
    assert_eq!((&told["retryable"], &told["details"]["waited_ms"]), (&json!(false), &json!(5)));
    assert_eq!(error.to_string(), "TIMEOUT: it took too long");
}

#[test]
fn a_target_is_a_known_scheme_and_what_it_names() {
    let good = [
        ("sim:checkout", "sim", "checkout"),
        ("sim:churn:100,5", "sim", "churn:100,5"),
        ("app:gedit", "app", "gedit"),
        ("app:pid=4242", "app", "pid=4242"),
        ("app:bundle=com.apple.Safari", "app", "bundle=com.apple.Safari"),
        ("web:https://example.org:8443/a?b=c#d", "web", "https://example.org:8443/a?b=c#d"),
        ("cdp:9222", "cdp", "9222"),
        ("android:emulator-5554", "android", "emulator-5554"),
        ("agent:127.0.0.1:8080", "agent", "127.0.0.1:8080"),
    ];
    for (text, scheme, rest) in good {
        let target: Target = text.parse().unwrap();
        assert_eq!((target.scheme(), target.rest()), (scheme, rest));
        assert_eq!(target.to_string(), text, "it reads back as it was written");
    }
}

#[test]
fn a_field_of_a_target_is_found_by_its_name() {
    let target: Target = "app:pid=4242".parse().unwrap();
    assert_eq!((target.field("pid"), target.field("bundle"), target.field("pi")), (Some("4242"), None, None));
}

#[test]
fn a_malformed_target_is_refused_with_an_example() {
    let bad = [
        "",
        "gedit",
        "app:",
        "app:   ",
        "ftp://example.org",
        ":x",
        "APP:gedit",
        "app:pid=",
        "app:pid=0",
        "app:pid=-1",
    ];
    for text in bad {
        let error = text.parse::<Target>().unwrap_err();
        assert_eq!(error.code, Code::InvalidArgument, "{text:?}");
        assert!(!error.retryable && !error.hint.is_empty(), "{error:?}");
        assert!(text.is_empty() || error.message.contains(text.rsplit('=').next().unwrap()), "{error:?}");
    }
    assert!("gedit".parse::<Target>().unwrap_err().hint.contains("app:gedit"));
}
