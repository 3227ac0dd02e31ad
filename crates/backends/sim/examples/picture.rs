//! Draws a scene as it looks after a while, for people who write scenes:
//! `cargo run -p stillpoint-sim --example picture -- sim:login 500 login.png`

use std::time::Duration;
use stillpoint_engine::backend::{AttachOptions, CAPACITY, Connector, Deadline, channel};
use stillpoint_sim::Sim;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, millis, file] = &arguments[..] else {
        return Err(
            "usage: picture TARGET MILLISECONDS FILE.png, as in: picture sim:login 500 login.png".into()
        );
    };
    let (sink, _inbox) = channel(CAPACITY);
    let deadline = Deadline::after(Duration::from_secs(600));
    let attached = Sim::new().attach(&target.parse()?, &AttachOptions::default(), sink, deadline).await?;
    tokio::time::sleep(Duration::from_millis(millis.parse()?)).await;
    std::fs::write(file, attached.backend.screenshot(None, deadline).await?)?;
    Ok(())
}
