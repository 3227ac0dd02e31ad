//! Signs in to the simulated app, and shows what changed: `cargo run -p stillpoint --example sign_in`.

use serde_json::json;

#[tokio::main(flavor = "current_thread")]
async fn main() -> stillpoint::Result<()> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "sim:login".to_owned());
    let app = stillpoint::open(&target).await?;
    app.ask("wait_for_idle", json!({})).await?;
    for (field, text) in [("Username", "ada"), ("Password", "engine")] {
        let selector = format!("textbox \"{field}\"");
        let typed = app.ask("type_text", json!({ "selector": selector, "text": text })).await?;
        print!("{}", typed.text());
    }
    let tapped = app
        .ask("tap", json!({ "selector": "button \"Sign in\"", "expect": "heading \"Welcome, ada\"" }))
        .await?;
    print!("{}", tapped.text());
    app.close().await;
    Ok(())
}
