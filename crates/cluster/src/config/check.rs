//! What a file may say that reads well and means nothing.

use super::{ChildConfig, Config, ConfigError, Consult, File, GroupConfig, Role, line_at};
use engines::ProgramCommand;
use std::net::IpAddr;
use think::quote;
use toml::Spanned;

/// A file under examination.
pub(super) struct Checked<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a File,
}

type Finding = Result<(), ConfigError>;

impl Checked<'_> {
    pub(super) fn check(&self) -> Finding {
        if self.file.child.is_empty() {
            let what = "no [[child]]: name at least one engine".to_owned();
            return Err(ConfigError { line: 1, what });
        }
        for (index, child) in self.file.child.iter().enumerate() {
            self.check_child(index, child)?;
        }
        let is_player = |child: &Spanned<ChildConfig>| child.get_ref().role == Role::Player;
        if !self.file.child.iter().any(is_player) {
            let what = "no child has the role \"player\": nobody would move".to_owned();
            return Err(ConfigError { line: 1, what });
        }
        for (index, group) in self.file.group.iter().enumerate() {
            self.check_group(index, group)?;
        }
        let Some(ponder) = &self.file.ponder else { return Ok(()) };
        let predictor = &ponder.get_ref().predictor;
        let fits = |child: &ChildConfig| matches!(child.role, Role::Player | Role::Predictor);
        if !self.named(predictor).is_some_and(fits) {
            let what = format!(
                "ponder: predictor {} is not a child with the role \"player\" or \"predictor\"",
                quote(predictor)
            );
            return Err(self.at(ponder, predictor, what));
        }
        if ponder.get_ref().replies == 0 {
            let what = "ponder: replies = 0: at least 1".to_owned();
            return Err(self.at(ponder, "replies", what));
        }
        Ok(())
    }

    fn named(&self, name: &str) -> Option<&ChildConfig> {
        self.file.child.iter().map(Spanned::get_ref).find(|child| child.name == name)
    }

    /// An error in a table, at the first line from its head that has the value.
    fn at<T>(&self, table: &Spanned<T>, value: &str, what: String) -> ConfigError {
        let start = table.span().start;
        let rest = self.text.get(start..).unwrap_or_default();
        let place = start + rest.find(value).unwrap_or(0);
        ConfigError { line: line_at(self.text, place), what }
    }

    fn check_child(&self, index: usize, table: &Spanned<ChildConfig>) -> Finding {
        let child = table.get_ref();
        let name = &child.name;
        let wrong = |value: &str, what: String| {
            Err(self.at(table, value, format!("child {}: {what}", quote(name))))
        };
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if name.is_empty() || name.len() > 32 || !name.chars().all(fits) {
            let what =
                "a name has 1 to 32 letters, digits and hyphens: options are called after it";
            return wrong(name, what.to_owned());
        }
        let earlier = self.file.child.iter().take(index).map(Spanned::get_ref);
        if earlier.into_iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
            return wrong(name, "the name is taken by another child".to_owned());
        }
        let places = [
            child.inside.is_some(),
            child.program.is_some(),
            child.tcp.is_some(),
            child.nats.is_some(),
        ];
        if places.iter().filter(|&&given| given).count() != 1 {
            let what = "say where it runs by exactly one of inside, program, tcp and nats";
            return wrong(name, what.to_owned());
        }
        if let Some(program) = &child.program
            && let Err(error) = ProgramCommand::from_command_line(program)
        {
            return wrong("program", format!("program: {error}"));
        }
        if let (Some(ssh), None) = (&child.ssh, &child.program) {
            return wrong(ssh, format!("ssh = {} needs program beside it", quote(ssh)));
        }
        if let Some(ssh) = &child.ssh
            && (ssh.is_empty() || ssh.starts_with('-') || ssh.contains(char::is_whitespace))
        {
            return wrong("ssh", format!("ssh is user@host, not {}", quote(ssh)));
        }
        if child.ssh.is_none() && !child.ssh_args.is_empty() {
            return wrong("ssh_args", "ssh_args needs ssh beside it".to_owned());
        }
        if let Some(dir) = child.dir.as_ref().filter(|_| child.program.is_none()) {
            return wrong(dir, format!("dir = {} needs program beside it", quote(dir)));
        }
        self.check_tcp(table)?;
        self.check_nats(table)?;
        let scale = child.scale.unwrap_or(play::USUAL_SCALE);
        for (key, value) in [("scale", scale), ("weight", child.weight)] {
            if !(value.is_finite() && value > 0.0) {
                return wrong(key, format!("{key} = {value}: a number above 0"));
            }
        }
        let line_end = |text: &str| text.contains(|c: char| c.is_control());
        match child.options.iter().find(|(n, v)| line_end(n) || line_end(&v.to_string())) {
            Some((option, _)) => {
                wrong(option, format!("option {} has a line end in it", quote(option)))
            }
            None => Ok(()),
        }
    }

    fn check_tcp(&self, table: &Spanned<ChildConfig>) -> Finding {
        let child = table.get_ref();
        let wrong = |value: &str, what: String| {
            Err(self.at(table, value, format!("child {}: {what}", quote(&child.name))))
        };
        let Some(address) = &child.tcp else {
            return match (&child.token_file, &child.ca, &child.nats) {
                (None, None, _) | (None, _, Some(_)) => Ok(()),
                (Some(_), ..) => wrong("token_file", "token_file belongs to tcp".to_owned()),
                _ => wrong("ca", "ca belongs to tcp and nats".to_owned()),
            };
        };
        let Some((host, _)) =
            address.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok_and(|p| p > 0))
        else {
            return wrong(address, format!("tcp is host:port, not {}", quote(address)));
        };
        if child.token_file.is_none() {
            return wrong(address, "tcp needs token_file beside it".to_owned());
        }
        if child.ca.is_none() && !is_this_machine(host) {
            let what = format!(
                "tcp to {} would send the token unencrypted: name the certificate by ca, or use ssh",
                quote(host)
            );
            return wrong(address, what);
        }
        Ok(())
    }

    fn check_nats(&self, table: &Spanned<ChildConfig>) -> Finding {
        let child = table.get_ref();
        let wrong = |value: &str, what: String| {
            Err(self.at(table, value, format!("child {}: {what}", quote(&child.name))))
        };
        let Some(url) = &child.nats else {
            let given = [child.engine.is_some(), child.prefix.is_some(), child.nkey.is_some()];
            let named =
                ["engine", "prefix", "nkey"].into_iter().zip(given).find(|(_, given)| *given);
            return match named {
                Some((key, _)) => wrong(key, format!("{key} belongs to nats")),
                None => Ok(()),
            };
        };
        if !(url.starts_with("nats://") || url.starts_with("tls://")) {
            let what = format!("nats is nats://HOST:PORT or tls://HOST:PORT, not {}", quote(url));
            return wrong(url, what);
        }
        match &child.engine {
            Some(name) if jetstream::lines::is_engine_name(name) => Ok(()),
            Some(name) => {
                let what = "an engine's name has 1 to 64 letters, digits, hyphens and underscores";
                wrong(name, format!("engine = {}: {what}", quote(name)))
            }
            None => wrong(url, "nats needs engine beside it: what it is called there".to_owned()),
        }
    }

    fn check_group(&self, index: usize, table: &Spanned<GroupConfig>) -> Finding {
        let group = table.get_ref();
        let wrong = |value: &str, what: String| {
            Err(self.at(table, value, format!("group {}: {what}", quote(&group.name))))
        };
        if group.children.is_empty() {
            return wrong("children", "children = []: at least one".to_owned());
        }
        let others: Vec<&GroupConfig> =
            self.file.group[..index].iter().map(Spanned::get_ref).collect();
        if others.iter().any(|other| other.name == group.name) {
            return wrong(&group.name, "the name is taken by another group".to_owned());
        }
        for (place, name) in group.children.iter().enumerate() {
            if self.named(name).is_none_or(|child| child.role != Role::Player) {
                let what = format!("{} is not a child with the role \"player\"", quote(name));
                return wrong(name, what);
            }
            let twice = group.children[..place].contains(name)
                || others.iter().any(|other| other.children.contains(name));
            if twice {
                return wrong(name, format!("{} is in a group already", quote(name)));
            }
        }
        if let Some(arbiter) = &group.arbiter {
            if self.named(arbiter).is_none_or(|child| child.role != Role::Arbiter) {
                let what = format!("{} is not a child with the role \"arbiter\"", quote(arbiter));
                return wrong(arbiter, what);
            }
            if matches!(group.consult, Consult::Exchange | Consult::Switch) {
                let what = "an arbiter goes with majority, optimistic and pessimistic only";
                return wrong(arbiter, what.to_owned());
            }
        }
        if (group.consult == Consult::Switch) == group.switches.is_empty() {
            let what = "consult = \"switch\" and [[group.switch]] belong together";
            return wrong("consult", what.to_owned());
        }
        match group.switches.iter().find(|rule| !group.children.contains(&rule.child)) {
            Some(rule) => {
                let what = format!("switch: {} is not in children", quote(&rule.child));
                wrong(&rule.child, what)
            }
            None => Ok(()),
        }
    }
}

/// Whether what is sent there stays on this machine.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Config {
    /// The players of a group, by their places in the list of children.
    pub(crate) fn members(&self, group: usize) -> Vec<usize> {
        let names = self.groups.get(group).map(|group| &group.children[..]).unwrap_or_default();
        names.iter().filter_map(|name| self.child(name)).collect()
    }
}
