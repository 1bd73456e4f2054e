//! `nue fleet`: work for many machines, handed out by a coordinator.

pub(crate) use fleetd::args::FleetArgs;

use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::order;
use crate::interrupt;
use ::fleet::Spec;
use display::say;
use fleetd::args::{FleetCommand, Json, ServeArgs, WorkArgs};
use fleetd::connections;
use fleetd::orders::Order;
use fleetd::signing;
use fleetd::start::{ServeRequest, WorkRequest};
use fleetd::{DataFolder, Request};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::seconds_since_1970;

pub(crate) fn run(args: &FleetArgs) -> CommandResult {
    let data = DataFolder::new(&args.data);
    match &args.command {
        FleetCommand::Serve(args) => serve(&data, args),
        FleetCommand::Work(args) => join(args),
        FleetCommand::Submit { file, name, games, priority, share } => {
            let text = std::fs::read_to_string(file)
                .map_err(|e| Failure::failed(format!("{}: {e}", file.display())))?;
            let spec: Spec = toml::from_str(&text)
                .map_err(|e| Failure::usage(format!("{}: {e}", file.display())))?;
            let name = name.clone().unwrap_or_else(|| file.display().to_string());
            let request = Request { name, spec, goal: *games, priority: *priority, share: *share };
            let wait = Duration::from_secs(30);
            crate::flags::fleet::heard(data.submit(request, "local", seconds_since_1970(), wait))
        }
        FleetCommand::List(Json { json }) => {
            let status = data.status()?;
            shown(*json, &status.runs, &status.runs_text())
        }
        FleetCommand::Workers(Json { json }) => {
            let status = data.status()?;
            shown(*json, &status.workers, &status.workers_text())
        }
        FleetCommand::Show { run, out: None } => {
            let text = data.status()?.run_text(*run);
            let text = text.ok_or_else(|| Failure::usage(format!("there is no run {run}")))?;
            Ok(write!(io::stdout(), "{text}")?)
        }
        FleetCommand::Show { run, out: Some(path) } => {
            let count = data.export(*run, path)?;
            say(&format!("{}: {count} written", path.display()));
            Ok(())
        }
        FleetCommand::Stop { run, reason } => {
            order(&data, &Order::Stop { run: *run, reason: reason.clone() })
        }
        FleetCommand::Priority { run, priority, share } => {
            order(&data, &Order::Priority { run: *run, priority: *priority, share: *share })
        }
        FleetCommand::Quarantine { worker, pardon: true, .. } => {
            order(&data, &Order::Pardon { worker: worker.clone() })
        }
        FleetCommand::Quarantine { worker, reason, .. } => {
            let (worker, reason) = (worker.clone(), reason.clone());
            order(&data, &Order::Quarantine { worker, reason })
        }
        FleetCommand::Token { worker, owner: Some(owner), revoke: false } => {
            let token =
                connections::new_token(&data, worker.clone(), owner.clone(), seconds_since_1970())?;
            Ok(writeln!(io::stdout(), "{token}")?)
        }
        FleetCommand::Token { worker, .. } => {
            say(&format!("{} tokens revoked", connections::revoke_tokens(&data, worker)?));
            Ok(())
        }
        FleetCommand::Key { file } => Ok(writeln!(io::stdout(), "{}", signing::new_key(file)?)?),
        FleetCommand::Sign { executable, key } => {
            say(&format!("{} written", signing::sign(executable, key)?.display()));
            Ok(())
        }
        FleetCommand::Drain { off } => order(&data, &Order::Drain { draining: !off }),
    }
}

fn shown(json: bool, value: &impl serde::Serialize, text: &str) -> CommandResult {
    let line = || serde_json::json!(value).to_string() + "\n";
    Ok(write!(io::stdout(), "{}", if json { line() } else { text.to_owned() })?)
}

fn serve(data: &DataFolder, args: &ServeArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let request = ServeRequest {
        data,
        broker: args.broker.broker("coordinator"),
        threads: args.threads,
        gateway: args.gateway,
        tokens: args.tokens.clone(),
        tls: args.cert.clone().zip(args.key.clone()),
        trusted: args.trust.clone(),
        until_idle: args.drain,
        now: seconds_since_1970,
    };
    request.run(&stop, say)?;
    ended(&stop, "ended; the same command continues")
}

fn join(args: &WorkArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    if args.background && !os::process::yield_to_others() {
        say("this system cannot lower the priority of a program");
    }
    let request = WorkRequest {
        broker: args.broker.broker(args.name.as_str()),
        gateway: args.gateway.clone(),
        token_file: args.token_file.clone(),
        ca: args.broker.ca.clone(),
        name: args.name.clone(),
        owner: args.owner.clone(),
        threads: args.threads,
        files: args.files.clone(),
        until_idle: args.drain,
        signers: args.allow_signed.clone(),
    };
    let worked = request.run(&stop, say)?;
    say(&format!("{} batches, {} faults", worked.batches, worked.faults));
    ended(&stop, "interrupted")
}

fn ended(stop: &AtomicBool, interrupted: &str) -> CommandResult {
    match stop.load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted(interrupted.to_owned())),
        false => Ok(()),
    }
}
