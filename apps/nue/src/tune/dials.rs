//! Which numbers are tuned, from where and how fast.

use crate::failure::Failure;
use alphabeta::{ParamSpec, Params};
use arena::spsa::Dial;

/// `NAME=VALUE`s, each a number of the search inside its range; the last of a name counts.
pub(super) fn given(set: &[String]) -> Result<Vec<(String, i64)>, Failure> {
    let mut given: Vec<(String, i64)> = Vec::new();
    for text in set {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let spec = find(name)?;
        let range = i64::from(spec.min)..=i64::from(spec.max);
        let value = value.parse().ok().filter(|v| range.contains(v)).ok_or_else(|| {
            let (min, max) = (spec.min, spec.max);
            Failure::usage(format!("{name} takes a number from {min} to {max}, not {value:?}"))
        })?;
        given.retain(|(earlier, _)| earlier != name);
        given.push((name.to_owned(), value));
    }
    Ok(given)
}

/// What `--params` names, each with its gains.
pub(super) fn chosen(
    params: &str,
    set: &[(String, i64)],
    c: f64,
    r: f64,
) -> Result<Vec<Dial>, Failure> {
    let mut dials: Vec<Dial> = Vec::new();
    for part in params.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if part == "all" {
            let missing = |s: &&ParamSpec| !dials.iter().any(|d| d.name == s.name);
            let rest: Vec<Dial> =
                Params::TABLE.iter().filter(missing).map(|s| dial(s, set, c, r)).collect();
            dials.extend(rest);
            continue;
        }
        let mut words = part.split(':');
        let name = words.next().unwrap_or_default();
        let mut dial = dial(find(name)?, set, c, r);
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let value = value.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
            let value = value.ok_or_else(|| {
                Failure::usage(format!("{name}: {word:?} should be c=NUMBER or r=NUMBER"))
            })?;
            match key {
                "c" => dial.c_end = value,
                "r" => dial.r_end = value,
                _ => {
                    return Err(Failure::usage(format!("{name}: unknown {key:?}, only c and r")));
                }
            }
        }
        if dials.iter().any(|d| d.name == dial.name) {
            return Err(Failure::usage(format!("{name} is named twice")));
        }
        dials.push(dial);
    }
    match dials.is_empty() {
        true => Err(Failure::usage("--params names nothing")),
        false => Ok(dials),
    }
}

fn find(name: &str) -> Result<&'static ParamSpec, Failure> {
    Params::TABLE.iter().find(|s| s.name == name).ok_or_else(|| {
        let known: Vec<&str> = Params::TABLE.iter().map(|s| s.name).collect();
        Failure::usage(format!("no number is called {name:?}: there are {}", known.join(", ")))
    })
}

fn dial(spec: &ParamSpec, set: &[(String, i64)], c: f64, r: f64) -> Dial {
    let given = set.iter().find(|(name, _)| name == spec.name).map(|(_, value)| *value as f64);
    let (min, max) = (f64::from(spec.min), f64::from(spec.max));
    Dial {
        name: spec.name.to_owned(),
        start: given.unwrap_or(f64::from(spec.default)),
        min,
        max,
        // A step that rounds to nothing compares a value with itself.
        c_end: ((max - min) * c).max(0.5),
        r_end: r,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_gains_and_starts() {
        let set = given(&["rfp_depth=7".to_owned(), "rfp_depth=8".to_owned()]).unwrap();
        let dials = chosen("rfp_margin:c=3:r=0.1, rfp_depth", &set, 0.05, 0.002).unwrap();
        assert_eq!((dials[0].c_end, dials[0].r_end), (3.0, 0.1));
        // A twentieth of the range of ten is half a unit, the least there is.
        assert_eq!((dials[1].start, dials[1].c_end, dials[1].r_end), (8.0, 0.5, 0.002));
        let all = chosen("rfp_depth:c=2,all", &[], 0.05, 0.002).unwrap();
        assert_eq!(all.len(), Params::TABLE.len());
        assert_eq!((all[0].name.as_str(), all[0].c_end), ("rfp_depth", 2.0));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in
            ["", ",", "nothing", "rfp_depth,rfp_depth", "rfp_depth:c", "rfp_depth:d=1", "lmr:c=-1"]
        {
            assert!(chosen(wrong, &[], 0.05, 0.002).is_err(), "{wrong}");
        }
        for wrong in ["rfp_depth", "rfp_depth=", "rfp_depth=99", "x=1", "rfp_depth=1.5"] {
            assert!(given(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
