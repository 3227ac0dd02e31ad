//! A handler that writes down what it was asked to do, and can be told to fail at chosen moments.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use stillpoint_wire::server::{ConnectionId, Handler, Lookup, Point};
use stillpoint_wire::{Element, ErrorCode, Fault};
use tokio::sync::{Notify, broadcast, mpsc};

/// Called with a command's name before and after it is carried out.
type Hook = Box<dyn Fn(&'static str, Moment) + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    Received,
    CarriedOut,
}

pub struct RecordingHandler {
    pub log_file: Option<PathBuf>,
    pub udid: Option<String>,
    pub hook: Hook,
    pub screenshot_bytes: usize,
    pub events: broadcast::Sender<Arc<str>>,
    /// Lets the `wait` call end.
    pub release: Notify,
    /// `began NAME`, `dropped NAME`, `disconnected`: what happened, for tests that wait for it.
    pub diary: mpsc::UnboundedSender<String>,
    log: Mutex<Vec<String>>,
    target: Mutex<Option<String>>,
}

impl RecordingHandler {
    pub fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (diary, pages) = mpsc::unbounded_channel();
        let handler = Self {
            log_file: None,
            udid: None,
            hook: Box::new(|_, _| {}),
            screenshot_bytes: 8,
            events: broadcast::channel(16).0,
            release: Notify::new(),
            diary,
            log: Mutex::default(),
            target: Mutex::default(),
        };
        (handler, pages)
    }

    /// What was carried out, in order.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// The whole life of one command.
    fn carry_out(&self, name: &'static str, line: String) {
        (self.hook)(name, Moment::Received);
        if let Some(path) = &self.log_file {
            let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
            writeln!(file, "{line}").unwrap();
        }
        self.log.lock().unwrap().push(line);
        (self.hook)(name, Moment::CarriedOut);
    }
}

struct Diarist(mpsc::UnboundedSender<String>, &'static str);

impl Drop for Diarist {
    fn drop(&mut self) {
        let _ = self.0.send(format!("dropped {}", self.1));
    }
}

impl Handler for RecordingHandler {
    async fn heartbeat(&self) -> Result<(), Fault> {
        self.carry_out("Heartbeat", "Heartbeat".into());
        Ok(())
    }

    async fn tap_coord(&self, at: Point) -> Result<(), Fault> {
        if at.x == i32::MAX {
            panic!("a handler with a bug");
        }
        self.carry_out("TapCoord", format!("TapCoord {} {}", at.x, at.y));
        Ok(())
    }

    async fn tap_element(&self, lookup: Lookup) -> Result<(), Fault> {
        if lookup.selector == "nowhere" {
            return Err(Fault::new(ErrorCode::ElementNotFound, "`nowhere` was not found"));
        }
        let name = match (lookup.by_label, &lookup.element_type) {
            (_, Some(_)) => "TapWithType",
            (true, None) => "TapByLabel",
            (false, None) => "TapElement",
        };
        self.carry_out(name, format!("{name} {} {:?}", lookup.selector, lookup.timeout));
        Ok(())
    }

    async fn type_text(&self, text: String) -> Result<(), Fault> {
        self.carry_out("TypeText", format!("TypeText {text}"));
        Ok(())
    }

    async fn swipe(&self, from: Point, to: Point, duration: Option<Duration>) -> Result<(), Fault> {
        self.carry_out("Swipe", format!("Swipe {} {} {} {} {duration:?}", from.x, from.y, to.x, to.y));
        Ok(())
    }

    async fn get_value(&self, lookup: Lookup) -> Result<Option<String>, Fault> {
        self.carry_out("GetValue", format!("GetValue {}", lookup.selector));
        Ok(Some(format!("value of {}", lookup.selector)))
    }

    async fn long_press(&self, at: Point, duration: Duration) -> Result<(), Fault> {
        self.carry_out("LongPress", format!("LongPress {} {} {duration:?}", at.x, at.y));
        Ok(())
    }

    async fn dump_tree(&self) -> Result<Vec<Element>, Fault> {
        self.carry_out("DumpTree", "DumpTree".into());
        Ok(vec![Element { unique_id: Some("save".into()), ..Element::default() }])
    }

    async fn screenshot(&self) -> Result<Vec<u8>, Fault> {
        self.carry_out("Screenshot", "Screenshot".into());
        Ok(vec![0x89; self.screenshot_bytes])
    }

    async fn set_target(&self, target: String) -> Result<(), Fault> {
        self.carry_out("SetTarget", format!("SetTarget {target}"));
        *self.target.lock().unwrap() = Some(target);
        Ok(())
    }

    async fn find_element(&self, lookup: Lookup) -> Result<Option<Element>, Fault> {
        self.carry_out("FindElement", format!("FindElement {}", lookup.selector));
        let found = Element { unique_id: Some(lookup.selector), hittable: Some(true), ..Element::default() };
        Ok((found.unique_id.as_deref() != Some("nowhere")).then_some(found))
    }

    async fn target_info(&self) -> Result<Value, Fault> {
        self.carry_out("GetTargetInfo", "GetTargetInfo".into());
        Ok(json!({ "target": *self.target.lock().unwrap() }))
    }

    async fn bridge_health(&self) -> Result<(), Fault> {
        self.carry_out("BridgeHealth", "BridgeHealth".into());
        Ok(())
    }

    async fn device_udid(&self) -> Result<Option<String>, Fault> {
        self.carry_out("DeviceUdid", "DeviceUdid".into());
        Ok(self.udid.clone())
    }

    async fn call(&self, _: ConnectionId, method: String, params: Value) -> Result<Value, Fault> {
        match method.as_str() {
            "echo" => Ok(params),
            "wait" => {
                let _diarist = Diarist(self.diary.clone(), "wait");
                let _ = self.diary.send("began wait".into());
                self.release.notified().await;
                Ok(json!({ "satisfied": true }))
            }
            "panic" => panic!("a handler with a bug"),
            _ => Err(Fault::new(ErrorCode::Unsupported, format!("there is no method `{method}`"))),
        }
    }

    fn events(&self, _: ConnectionId) -> Option<broadcast::Receiver<Arc<str>>> {
        Some(self.events.subscribe())
    }

    fn disconnected(&self, _: ConnectionId) {
        let _ = self.diary.send("disconnected".into());
    }
}
