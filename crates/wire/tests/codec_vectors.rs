//! The byte-level vectors of `vectors/*.json`, which every implementation of the protocol must satisfy.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use serde_json::{Value, json};
use stillpoint_wire::codec::{ClientFrame, DecodeError, Decoder, Frame, ServerFrame};

fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn bytes(row: &Value) -> Vec<u8> {
    let hex = row["hex"].as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn client_frame_as_json(frame: &ClientFrame) -> Value {
    match frame {
        ClientFrame::Request(request) => serde_json::to_value(request).unwrap(),
        ClientFrame::Hello(hello) => json!({ "hello": hello }),
        ClientFrame::Call { id, method, json } => {
            json!({ "call": { "id": id, "method": method, "json": json } })
        }
        ClientFrame::Cancel { id } => json!({ "cancel": { "id": id } }),
    }
}

fn server_frame_as_json(frame: &ServerFrame) -> Value {
    match frame {
        ServerFrame::Reply(reply) => serde_json::to_value(reply).unwrap(),
        ServerFrame::Hello(hello) => json!({ "hello": hello }),
        ServerFrame::Answer { id, ok, json } => json!({ "answer": { "id": id, "ok": ok, "json": json } }),
        ServerFrame::Event { seq, json } => json!({ "event": { "seq": seq, "json": json } }),
    }
}

/// Checks one file and returns the opcodes that its valid vectors cover.
fn check<F: Frame + PartialEq + std::fmt::Debug>(file: &str, as_json: fn(&F) -> Value) -> Vec<u8> {
    let mut opcodes = Vec::new();
    for row in vectors(file) {
        let name = row["name"].as_str().unwrap();
        let raw = bytes(&row);
        let mut decoder = Decoder::<F>::new();
        decoder.feed(&raw);
        let outcome = decoder.next_frame();
        if let Some(expected) = row.get("decoded") {
            let frame = outcome.unwrap_or_else(|error| panic!("{name}: {error}")).expect(name);
            assert_eq!(&as_json(&frame), expected, "{name}");
            assert!(decoder.is_between_frames(), "{name} leaves bytes behind");
            let again = frame.encode().unwrap();
            if row["canonical"] == true {
                assert_eq!(again, raw, "{name} encodes to other bytes");
            }
            opcodes.push(raw[4]);
        } else {
            check_error(name, &row, &mut decoder, &outcome);
        }
    }
    opcodes
}

fn check_error<F: Frame>(
    name: &str,
    row: &Value,
    decoder: &mut Decoder<F>,
    outcome: &Result<Option<F>, DecodeError>,
) {
    let expected = row["error"].as_str().unwrap();
    if expected == "incomplete" {
        assert!(matches!(outcome, Ok(None)), "{name} should wait for more bytes");
        assert!(!decoder.is_between_frames(), "{name}");
        return;
    }
    let Err(error) = outcome else { panic!("{name} was accepted") };
    assert_eq!(error.reason.name(), expected, "{name}");
    assert_eq!(error.is_fatal(), row["fatal"] == true, "{name}");
    if error.is_fatal() {
        assert_eq!(decoder.next_frame().err().as_ref(), Some(error), "{name}: a dead stream stays dead");
    } else {
        assert!(decoder.is_between_frames(), "{name}: a bad frame is skipped whole");
    }
}

#[test]
fn client_frames_satisfy_the_vectors_and_every_opcode_is_covered() {
    let covered = check::<ClientFrame>("client_to_server.json", client_frame_as_json);
    for opcode in (0x01..=0x09).chain(0x10..=0x16).chain([0x40, 0x41, 0x44]) {
        assert!(covered.contains(&opcode), "no valid vector for opcode 0x{opcode:02x}");
    }
}

#[test]
fn server_frames_satisfy_the_vectors_and_every_reply_is_covered() {
    let covered = check::<ServerFrame>("server_to_client.json", server_frame_as_json);
    for opcode in [0xA0, 0x99, 0x40, 0x42, 0x43] {
        assert!(covered.contains(&opcode), "no valid vector for opcode 0x{opcode:02x}");
    }
    let kinds: Vec<String> = vectors("server_to_client.json")
        .iter()
        .filter_map(|row| row["decoded"]["reply"].as_str().map(str::to_owned))
        .collect();
    for kind in ["ok", "error", "tree", "screenshot", "value", "element", "target_info"] {
        assert!(kinds.iter().any(|seen| seen == kind), "no vector for {kind}");
    }
}

#[test]
fn the_examples_of_the_protocol_document_are_vectors() {
    let path = format!("{}/../../docs/agent-protocol.md", env!("CARGO_MANIFEST_DIR"));
    let document = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let files =
        [("Client to server", "client_to_server.json"), ("Server to client", "server_to_client.json")];
    for (heading, file) in files {
        let (_, section) = document.split_once(&format!("### {heading}")).unwrap();
        let known = vectors(file);
        let mut compared = 0;
        for line in section.lines().skip_while(|line| !line.starts_with("|---")).skip(1) {
            let Some(row) = line.strip_prefix("| ") else { break };
            let mut cells = row.split(" | ");
            let (name, hex) = (cells.next().unwrap(), cells.next().unwrap().trim_matches('`'));
            let vector = known
                .iter()
                .find(|vector| vector["name"] == name)
                .unwrap_or_else(|| panic!("no vector {name}"));
            assert_eq!(vector["hex"], hex, "{name}");
            compared += 1;
        }
        assert!(compared > 10, "{heading}: {compared} examples");
    }
}
