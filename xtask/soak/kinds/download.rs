//! A server misbehaves while data are fetched.

use rustix::process::Signal;

use super::{Kind, Outcome};
use crate::attempt::Try;
use crate::project::{NET, table};
use crate::server::Answer;

pub const KIND: Kind = Kind { name: "download", about: "a server that misbehaves while data are fetched", attempt };

/// An answer whose header and body are as they stand.
fn raw(head: &str, body: &[u8]) -> Answer {
    Answer::Raw([format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes(), body].concat())
}

/// A way to misbehave, without an answer a reset; whether it goes on for so long that whoever fetches should give up.
fn answer(this: &mut Try) -> (Option<Answer>, bool) {
    let sound = table(NET).into_bytes();
    let length = sound.len() as u64;
    // Cut before the last number: without its newline or a closing zero the table has the same values.
    let part = this.below(length - "0.1234\n".len() as u64) as usize;
    let away = this.host().address().to_owned();
    let answer = match this.below(14) {
        0 => return (Some(Answer::Stall), true),
        1 => return (Some(Answer::Drip(sound.repeat(100))), true),
        2 => Answer::Endless(sound),
        3 => return (None, false),
        4 => Answer::whole(sound).dropped(part),
        5 => Answer::whole(sound).tag("\"a\"").dropped(part),
        // More and fewer bytes than it says.
        6 => raw(&format!("200 OK\r\ncontent-length: {}", length + 1 + this.below(1 << 40)), &sound),
        7 => raw(&format!("200 OK\r\ncontent-length: {part}"), &sound),
        // Other data of the same size, and what is no data at all.
        8 => Answer::whole(table(NET + 1 + this.below(1000)).into_bytes()),
        9 => {
            let noise = this.noise(length);
            Answer::whole(noise)
        }
        10 => raw("200 OK", b"<!DOCTYPE html><html><body>Sign in</body></html>"),
        11 => Answer::Status(*this.pick(&[204, 403, 404, 416, 429, 500, 503])),
        12 => raw(&format!("302 Found\r\nlocation: {away}"), b""),
        _ => {
            let noise = this.noise(part as u64);
            Answer::Raw(noise)
        }
    };
    (Some(answer), false)
}

fn attempt(this: &mut Try) -> Outcome {
    if this.below(2) == 0 {
        this.complete();
        let target = *this.pick(&["fetch/net", "fetch/*", "prepare/net"]);
        this.run(&["clean", "fetch/net", target]).with(&[0]);
    }
    for _ in 0..1 + this.below(2) {
        let (answer, endless) = answer(this);
        this.host().answers(answer);
        let words = *this.pick(&[&["run"][..], &["run", "fetch/net"], &["data", "fetch", "net"]]);
        let mut running = this.start(words);
        if endless {
            this.pause(1500);
            running.signal(*this.pick(&[Signal::TERM, Signal::INT, Signal::KILL]));
        }
        running.end().with(&[0, 1, 130, 143, -2, -9, -15]);
    }
    Outcome::Made
}
