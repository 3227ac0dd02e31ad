//! Shows pages of a fixture app in a private desktop: `look gtk3 OUT_DIR PAGE…` writes one PNG per page.

use std::error::Error;
use stillpoint_lab::{Desktop, Fixture};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(toolkit), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("usage: look gtk3|gtk4|qt|qt6 OUT_DIR PAGE…".into());
    };
    let fixture = Fixture::ALL.into_iter().find(|fixture| fixture.toolkit() == toolkit);
    let desktop = Desktop::builder().size(900, 700).start()?;
    let app = desktop.fixture(fixture.ok_or("no such toolkit")?)?;
    for page in arguments {
        app.control(&format!("show {page}"))?;
        if page == "playground" {
            app.control("mutate 60 7")?;
        }
        if page == "dialog" {
            app.control("op dialog")?;
            app.control("rest")?;
        }
        std::fs::write(format!("{directory}/{toolkit}-{page}.png"), desktop.screenshot()?)?;
    }
    println!("{}", app.control("truth")?);
    Ok(())
}
