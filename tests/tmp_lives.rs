#[path = "behaviour/lives.rs"]
mod lives;
