//! The server of the dataset `net`, which answers as it is told. One serves the whole campaign, since keys of results do
//! not depend on where data come from, but what was fetched records it.

use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread::spawn;

use crate::server::{Answer, request, serve};

/// The running server.
pub struct Host {
    address: String,
    /// Nothing for a connection that is reset.
    answer: Arc<Mutex<Option<Answer>>>,
}

impl Host {
    /// Starts a server that answers with the file.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/net.csv", listener.local_addr().unwrap());
        let host = Self { address, answer: Arc::new(Mutex::new(Some(Self::sound()))) };
        let answer = Arc::clone(&host.answer);
        spawn(move || {
            for stream in listener.incoming().flatten() {
                let answer = answer.lock().unwrap().clone();
                // The client may go away at any time.
                spawn(move || match answer {
                    // A connection that is closed before all was read is reset.
                    None => drop(stream),
                    Some(answer) => {
                        let request = request(&stream);
                        let _ = serve(stream, &request, answer);
                    }
                });
            }
        });
        host
    }

    /// The address of the file.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers like this from now on; without an answer, connections are reset.
    pub fn answers(&self, answer: Option<Answer>) {
        *self.answer.lock().unwrap() = answer;
    }

    /// Answers with the file again.
    pub fn mend(&self) {
        self.answers(Some(Self::sound()));
    }

    fn sound() -> Answer {
        Answer::whole(crate::project::table(crate::project::NET).into_bytes())
    }
}
