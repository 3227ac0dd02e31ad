//! Dragging: with the pointer, and with data if the page begins a drag of data.

use super::{Hand, Outcome, by_pointer};
use crate::barrier::main_thread_answers;
use crate::socket::Session;
use serde_json::{Value, json};
use std::time::Duration;
use stillpoint_core::Result;
use stillpoint_engine::backend::{Deadline, Place, Refusal};

/// How many moves of the pointer a drag is made of.
const STEPS: u32 = 8;

impl Hand<'_> {
    pub(super) async fn drag(&self, from: Place, to: Place, over: Duration) -> Outcome {
        let end = self.spot(to).await?;
        let start = self.spot(from).await?;
        let window = &start.window;
        self.shared.lock().drag = None;
        let mouse = |kind: &str, x: f64, y: f64| {
            let held = u8::from(kind != "mouseReleased");
            (
                "Input.dispatchMouseEvent",
                json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": held, "clickCount": 1 }),
            )
        };
        let events = vec![
            ("Input.setInterceptDrags", json!({ "enabled": true })),
            ("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": start.x, "y": start.y })),
            mouse("mousePressed", start.x, start.y),
        ];
        self.dispatch(window, events).await?;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (x, y) = (start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part);
            self.dispatch(window, vec![mouse("mouseMoved", x, y)])
                .await
                .map_err(|r| Refusal::after_dispatch(r.error))?;
            tokio::time::sleep(over / STEPS).await;
        }
        // The page decides during the moves whether this is a drag of data; that word comes before this answer.
        main_thread_answers(window, self.deadline).await.map_err(Refusal::after_dispatch)?;
        taken_in(window, self.deadline).await.map_err(Refusal::after_dispatch)?;
        let data = self.shared.lock().drag.take();
        if let Some(data) = data {
            for kind in ["dragEnter", "dragOver", "drop"] {
                let event = json!({ "type": kind, "x": end.x, "y": end.y, "data": data });
                window
                    .call::<Value>("Input.dispatchDragEvent", event, self.deadline)
                    .await
                    .map_err(Refusal::after_dispatch)?;
            }
        }
        window.post("Input.setInterceptDrags", json!({ "enabled": false }));
        self.release(&start, mouse("mouseReleased", end.x, end.y)).await?;
        by_pointer()
    }
}

/// Waits until the mirror has taken in everything that has arrived.
async fn taken_in(session: &Session, deadline: Deadline) -> Result<()> {
    let (done, taken) = tokio::sync::oneshot::channel();
    session.enqueue(crate::socket::Note::Flush(done)).await?;
    deadline.bound("the mirror", async { taken.await.map_err(|_| crate::socket::lost()) }).await.map(drop)
}
