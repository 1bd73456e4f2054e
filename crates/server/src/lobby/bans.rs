//! Who is not let in: names and addresses the referee has banned, addresses with too many wrong
//! passwords. Both outlast a restart.

use super::{Lobby, NoteKind, Now};
use crate::calendar;
use std::time::Duration;

/// How long wrong passwords are remembered.
const MEMORY: Duration = Duration::from_secs(600);

/// Addresses remembered at most.
const ADDRESSES: usize = 10_000;

/// What the referee decided about a name or an address.
pub(super) struct Ban {
    /// In seconds since 1970; for ever if `None`.
    until: Option<i64>,
    why: String,
}

impl Ban {
    fn holds(&self, wall: i64) -> bool {
        self.until.is_none_or(|until| wall < until)
    }
}

impl Lobby {
    /// Why somebody is not let in, if so.
    pub(super) fn shut_out(&self, name: &str, peer: &str, now: Now) -> Option<String> {
        let ban = [name, peer].into_iter().find_map(|who| {
            let ban = self.bans.get(who).filter(|ban| ban.holds(now.wall))?;
            let until = match ban.until {
                Some(until) => format!(" until {} UTC", calendar::text(until)),
                None => String::new(),
            };
            let why = if ban.why.is_empty() { String::new() } else { format!(": {}", ban.why) };
            Some(format!("{who} is banned{until}{why}"))
        });
        ban.or_else(|| {
            let left = self.blocked_for(peer, now)?;
            let minutes = left.as_secs().div_ceil(60);
            Some(format!("too many wrong passwords from your address: wait {minutes} minutes"))
        })
    }

    /// How much longer an address is blocked.
    fn blocked_for(&self, peer: &str, now: Now) -> Option<Duration> {
        let &(count, since) = self.failures.get(peer)?;
        let passed = now.at.saturating_sub(since);
        (count >= self.settings.limits.failures && passed < MEMORY).then(|| MEMORY - passed)
    }

    /// How many wrong passwords have come from an address lately.
    pub(super) fn failures_of(&self, peer: &str, now: Now) -> u32 {
        let lately = |since| now.at.saturating_sub(since) < MEMORY;
        self.failures.get(peer).map_or(0, |&(count, since)| if lately(since) { count } else { 0 })
    }

    pub(super) fn count_failure(&mut self, peer: &str, now: Now) {
        if self.failures.len() >= ADDRESSES {
            self.failures.retain(|_, &mut (_, since)| now.at.saturating_sub(since) < MEMORY);
        }
        let entry = self.failures.entry(peer.to_owned()).or_insert((0, now.at));
        if now.at.saturating_sub(entry.1) >= MEMORY {
            *entry = (0, now.at);
        }
        entry.0 += 1;
        let count = entry.0;
        let since = now.wall - now.at.saturating_sub(entry.1).as_secs().cast_signed();
        if count == self.settings.limits.failures {
            self.note(NoteKind::Failures, peer, &[&count, &since]);
        }
    }

    pub(super) fn recall_failures(&mut self, peer: &str, fields: &[&str], now: Now) {
        let number = |at: usize| fields.get(at).and_then(|field| field.parse::<i64>().ok());
        let (Some(count), Some(since)) = (number(0), number(1)) else { return };
        let passed = Duration::from_secs(u64::try_from(now.wall - since).unwrap_or(0));
        if passed >= MEMORY {
            self.unnote(NoteKind::Failures, peer);
            return;
        }
        let count = u32::try_from(count).unwrap_or(0);
        self.failures.insert(peer.to_owned(), (count, now.at.saturating_sub(passed)));
    }

    /// Bans a name or an address, for ever or for a while.
    pub(super) fn ban(&mut self, who: &str, minutes: Option<u32>, why: &str, now: Now) {
        let until = minutes.map(|minutes| now.wall + i64::from(minutes) * 60);
        let text = until.map(|until| until.to_string()).unwrap_or_default();
        self.note(NoteKind::Ban, who, &[&text, &why]);
        self.bans.insert(who.to_owned(), Ban { until, why: why.to_owned() });
    }

    /// Whether there was such a ban.
    pub(super) fn unban(&mut self, who: &str) -> bool {
        let blocked = self.failures.remove(who).is_some();
        if blocked {
            self.unnote(NoteKind::Failures, who);
        }
        if self.bans.remove(who).is_none() {
            return blocked;
        }
        self.unnote(NoteKind::Ban, who);
        true
    }

    pub(super) fn recall_ban(&mut self, who: &str, fields: &[&str], now: Now) {
        let until = fields.first().and_then(|field| field.parse().ok());
        let why = fields.get(1).copied().unwrap_or_default().to_owned();
        let ban = Ban { until, why };
        if ban.holds(now.wall) {
            self.bans.insert(who.to_owned(), ban);
        } else {
            self.unnote(NoteKind::Ban, who);
        }
    }
}
