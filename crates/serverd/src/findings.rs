//! What somebody should know who is about to start a server with these settings: doubts that only
//! settings and data file together raise.

use crate::config::Config;
use crate::error::Error;
use crate::store;
use server::Lobby;
use server::lobby::{Now, TournamentResult};

/// Names listed at most.
const NAMES: usize = 10;

/// Each a sentence; none if all is well. Nothing is written.
pub(crate) fn findings(config: &Config) -> Result<Vec<String>, Error> {
    let data = &config.file.data;
    let mut found = Vec::new();
    let (accounts, scores) = if data.is_file() {
        let unreadable = |error| Error::file(data, error);
        let connection = store::reader(data).map_err(unreadable)?;
        let accounts = store::accounts(&connection).map_err(unreadable)?;
        (accounts, store::scores(&connection).map_err(unreadable)?)
    } else {
        (Vec::new(), Vec::new())
    };
    let has_account = |name: &String| accounts.iter().any(|(account, _)| account == name);
    for event in &config.events {
        let without: Vec<&str> =
            event.entrants.iter().filter(|name| !has_account(name)).map(String::as_str).collect();
        if !without.is_empty() {
            found.push(format!(
                "tournament {}: {} cannot log in without an account (nue server account NAME)",
                event.name,
                listed(&without)
            ));
        }
        found.extend(earlier_results(config, &event.name, &scores));
    }
    for referee in config.lobby.referees.iter().filter(|name| !has_account(name)) {
        found.push(format!("the referee {referee} has no account (nue server account {referee})"));
    }
    let takes_part = |name: &String| {
        config.events.iter().any(|event| event.entrants.contains(name))
            || config.lobby.referees.contains(name)
    };
    let unused: Vec<&str> = accounts
        .iter()
        .filter(|(name, played)| !played && !takes_part(name))
        .map(|(name, _)| name.as_str())
        .collect();
    if !unused.is_empty() {
        found.push(format!("accounts that have never played: {}", listed(&unused)));
    }
    let nobody_new = !config.file.registration && !config.file.guests;
    if nobody_new && accounts.is_empty() {
        found.push(
            "nobody can log in: there are no accounts (nue server account NAME), and neither \
             registration nor guests are allowed"
                .to_owned(),
        );
    }
    Ok(found)
}

/// Whether a tournament is over, or has results of others than its entrants.
fn earlier_results(config: &Config, name: &str, scores: &[TournamentResult]) -> Option<String> {
    let event = config.events.iter().find(|event| event.name == name)?;
    let own: Vec<&TournamentResult> = scores.iter().filter(|score| score.event == name).collect();
    if own.is_empty() {
        return None;
    }
    let strangers: Vec<&str> = own
        .iter()
        .flat_map(|score| [score.black.as_str(), score.white.as_str()])
        .filter(|who| {
            *who != server::tournament::stage::IMAGINARY
                && !event.entrants.iter().any(|entrant| entrant == who)
        })
        .collect();
    if let Some(stranger) = strangers.first() {
        return Some(format!(
            "tournament {name} has results of {stranger}, who is not among its entrants: \
             give a new tournament a new name"
        ));
    }
    let now = Now { at: std::time::Duration::ZERO, wall: 0 };
    let mut lobby = Lobby::new(server::lobby::Settings::default(), now);
    lobby.add_event(event.clone(), scores, now);
    let over = lobby.status(now).events.first().is_some_and(|status| status.round.is_none());
    over.then(|| format!("tournament {name} is over: to hold another, give it another name"))
}

fn listed(names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    let and = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{and}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Durability;
    use rules::Color;
    use server::lobby::Stored;

    const CUP: &str = "[[tournament]]\nname = \"cup\"\nkind = \"round-robin\"\n\
                       entrants = [\"a\", \"b\"]\nstart = \"2030-01-01T10:00\"\ntime = { total = 60 }\n";

    #[test]
    fn tournaments_that_are_over_or_another_ones_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::parse(CUP, folder.path()).unwrap();
        let mut store = store::Store::open(&config.file.data, Durability::Process).unwrap();
        for name in ["a", "b"] {
            store::set_account(store.connection(), name, "hash", 0).unwrap();
        }
        assert_eq!(findings(&config).unwrap(), [""; 0], "nothing has been played");
        let result = |black: &str, round| {
            Stored::Tournament(TournamentResult {
                event: "cup".to_owned(),
                stage: 0,
                round,
                black: black.to_owned(),
                white: "b".to_owned(),
                winner: Some(Color::Black),
                game: None,
            })
        };
        store.commit(&[result("a", 0)], &[], &[]).unwrap();
        let found = findings(&config).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("tournament cup is over"), "{found:?}");
        store.commit(&[result("stranger", 1)], &[], &[]).unwrap();
        let found = findings(&config).unwrap();
        assert!(found[0].contains("results of stranger"), "{found:?}");
    }
}
