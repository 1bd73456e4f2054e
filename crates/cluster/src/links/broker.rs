//! A child that is offered at the broker of a fleet.

use engines::lines::{LineEvent, LineLink, LineSink};
use jetstream::Options;
use jetstream::lines::{CallEvent, Conversation, call};
use std::io;
use std::sync::Arc;

/// The link. The conversation ends when it is dropped.
pub(crate) struct BrokerLink(Conversation);

/// Calls the engine of that name.
pub(crate) fn connect(options: &Options, engine: &str, sink: &LineSink) -> io::Result<BrokerLink> {
    let sink = Arc::clone(sink);
    let heard = move |heard| {
        sink(match heard {
            CallEvent::Welcome => LineEvent::Started,
            CallEvent::Line(line) => LineEvent::Line(line),
            CallEvent::Ended(why) => LineEvent::Ended(why),
        });
    };
    Ok(BrokerLink(call(options, engine, heard)?))
}

impl LineLink for BrokerLink {
    fn send(&mut self, line: &str) -> bool {
        self.0.send(line)
    }

    fn is_gone(&mut self) -> bool {
        self.0.is_over()
    }
}
