//! A browser without a window, which visits a page and says what it found.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What every visitor can do: wait until something is so, and until all is drawn.
const VISITOR: &str = r#"<script>
const drawn = async () => { for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame); };
const until = async condition => { while (!condition()) await drawn(); };
const say = said => fetch("/said", { method: "POST", body: Object.entries(said).map(([name, value]) => `${name}=${value}`).join("\n") });
addEventListener("error", event => say({ error: event.message }));
addEventListener("unhandledrejection", event => say({ error: event.reason }));
"#;
/// The longest visit, on a machine that does much else.
const LONGEST: Duration = Duration::from_secs(120);

/// The browser: `IKRA_CHROMIUM`, or one on the path.
pub fn find() -> Option<OsString> {
    std::env::var_os("IKRA_CHROMIUM").or_else(|| {
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let found = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        let found = found.into_iter().find(|path| path.is_file()).map(PathBuf::into_os_string);
        if found.is_none() {
            println!("SKIPPED: there is no Chromium, and IKRA_CHROMIUM names none");
        }
        found
    })
}

/// Visits a page. The visitor is JavaScript that calls `say({ name: value, … })` once; returns what it said.
pub fn visit(browser: &OsString, page: &str, visitor: &str) -> BTreeMap<String, String> {
    let page = page.replace("</body>", &format!("{VISITOR}{visitor}</script></body>"));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let mut running = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--no-proxy-server"])
        .args(["--disable-background-networking", "--disable-dev-shm-usage", "--window-size=900,700"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{}/", listener.local_addr().unwrap()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut said = None;
    while said.is_none() && start.elapsed() < LONGEST {
        match listener.accept() {
            // A connection that the browser opens and does not use is no visit.
            Ok((stream, _)) => said = answer(&stream, &page).unwrap_or(None),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(10)),
            Err(error) => panic!("{error}"),
        }
        if let Some(status) = running.try_wait().unwrap() {
            panic!("the browser ended with {status}");
        }
    }
    running.kill().unwrap();
    running.wait().unwrap();
    said.expect("the visitor says something")
}

/// Answers a request: with the page, or with nothing to what the visitor says.
fn answer(mut stream: &TcpStream, page: &str) -> io::Result<Option<BTreeMap<String, String>>> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    let mut reader = BufReader::new(stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let (status, content) = if first.starts_with("GET / ") { ("200 OK", page) } else { ("404 Not Found", "") };
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let kind = "Content-Type: text/html; charset=utf-8\r\nConnection: close";
    write!(stream, "HTTP/1.1 {status}\r\n{kind}\r\nContent-Length: {}\r\n\r\n{content}", content.len())?;
    let said = String::from_utf8_lossy(&body).into_owned();
    let pairs = || said.lines().filter_map(|line| line.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned()));
    Ok(first.starts_with("POST /said ").then(|| pairs().collect()))
}
