//! Which numbers are tuned, from where and how fast.

use crate::spsa::Parameter;
use engines::Introduction;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use think::OptionKind;

/// A number that can be tuned.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Tunable {
    pub name: Cow<'static, str>,
    pub default: i64,
    pub min: i64,
    pub max: i64,
}

/// The numbers an engine lets others set: its options of type `spin`.
pub fn declared(introduction: &Introduction) -> Vec<Tunable> {
    let numbers = introduction.options.iter().filter_map(|option| {
        let OptionKind::Spin { min, max } = option.kind else { return None };
        let default = option.default.parse().unwrap_or(min).clamp(min, max);
        Some(Tunable { name: option.name.clone().into(), default, min, max })
    });
    numbers.collect()
}

/// `NAME=VALUE`s, each a number of the search inside its range; the last of a name counts.
pub fn given(table: &[Tunable], set: &[String]) -> Result<Vec<(String, i64)>, String> {
    let mut given: Vec<(String, i64)> = Vec::new();
    for text in set {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let spec = find(table, name)?;
        let range = spec.min..=spec.max;
        let value = value.parse().ok().filter(|v| range.contains(v)).ok_or_else(|| {
            let (min, max) = (spec.min, spec.max);
            format!("{name} takes a number from {min} to {max}, not {value:?}")
        })?;
        given.retain(|(earlier, _)| earlier != name);
        given.push((name.to_owned(), value));
    }
    Ok(given)
}

/// What `--params` names, each with its gains.
pub fn chosen(
    table: &[Tunable],
    params: &str,
    set: &[(String, i64)],
    c: f64,
    r: f64,
) -> Result<Vec<Parameter>, String> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for part in params.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if part == "all" {
            let missing = |s: &&Tunable| !parameters.iter().any(|d| d.name == s.name);
            let rest: Vec<Parameter> =
                table.iter().filter(missing).map(|s| parameter(s, set, c, r)).collect();
            parameters.extend(rest);
            continue;
        }
        let mut words = part.split(':');
        let name = words.next().unwrap_or_default();
        let mut parameter = parameter(find(table, name)?, set, c, r);
        let mut step = None;
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let number = value.parse::<f64>().ok().filter(|v| v.is_finite());
            let expected = || format!("{name}: {word:?} should be c, r, min or max and a number");
            let number = number.ok_or_else(expected)?;
            match key {
                "c" if number > 0.0 => step = Some(number),
                "r" if number > 0.0 => parameter.r_end = number,
                "min" => parameter.min = parameter.min.max(number),
                "max" => parameter.max = parameter.max.min(number),
                "c" | "r" => return Err(format!("{name}: {key} takes a number above 0")),
                _ => return Err(format!("{name}: unknown {key:?}, only c, r, min and max")),
            }
        }
        if parameter.min >= parameter.max {
            let (min, max) = (parameter.min, parameter.max);
            return Err(format!("{name}: min {min} must be below max {max}"));
        }
        parameter.start = parameter.start.clamp(parameter.min, parameter.max);
        parameter.c_end = step.unwrap_or_else(|| usual_step(parameter.min, parameter.max, c));
        if parameters.iter().any(|d| d.name == parameter.name) {
            return Err(format!("{name} is named twice"));
        }
        parameters.push(parameter);
    }
    match parameters.is_empty() {
        true => Err("--params names nothing".to_owned()),
        false => Ok(parameters),
    }
}

fn find<'a>(table: &'a [Tunable], name: &str) -> Result<&'a Tunable, String> {
    table.iter().find(|s| s.name == name).ok_or_else(|| {
        let known: Vec<&str> = table.iter().map(|s| &*s.name).collect();
        format!("no number is called {name:?}: there are {}", known.join(", "))
    })
}

fn parameter(spec: &Tunable, set: &[(String, i64)], c: f64, r: f64) -> Parameter {
    let given = set.iter().find(|(name, _)| *name == spec.name).map(|(_, value)| *value);
    let (min, max) = (spec.min as f64, spec.max as f64);
    Parameter {
        name: spec.name.to_string(),
        start: given.unwrap_or(spec.default) as f64,
        min,
        max,
        c_end: usual_step(min, max, c),
        r_end: r,
    }
}

/// A share of the range; a step that rounds to nothing would compare a value with itself.
fn usual_step(min: f64, max: f64, share: f64) -> f64 {
    ((max - min) * share).max(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::OptionSpec;

    const TABLE: [Tunable; 2] = [
        Tunable { name: Cow::Borrowed("rfp_margin"), default: 135, min: 30, max: 250 },
        Tunable { name: Cow::Borrowed("rfp_depth"), default: 9, min: 4, max: 14 },
    ];

    #[test]
    fn names_gains_and_starts() {
        let set = given(&TABLE, &["rfp_depth=7".to_owned(), "rfp_depth=8".to_owned()]).unwrap();
        let parameters =
            chosen(&TABLE, "rfp_margin:c=3:r=0.1, rfp_depth", &set, 0.05, 0.002).unwrap();
        assert_eq!((parameters[0].c_end, parameters[0].r_end), (3.0, 0.1));
        // A twentieth of the range of ten is half a unit, the least there is.
        assert_eq!(
            (parameters[1].start, parameters[1].c_end, parameters[1].r_end),
            (8.0, 0.5, 0.002)
        );
        let all = chosen(&TABLE, "rfp_depth:c=2,all", &[], 0.05, 0.002).unwrap();
        assert_eq!(all.len(), TABLE.len());
        assert_eq!((all[0].name.as_str(), all[0].c_end), ("rfp_depth", 2.0));
    }

    /// Engines declare ranges that nobody means: a part of one may be tuned.
    #[test]
    fn numbers_of_other_engines_and_parts_of_their_ranges() {
        let options = vec![
            OptionSpec::spin("Contempt", 5, -100_000, 100_000, ""),
            OptionSpec::check("Ponder", false, ""),
            OptionSpec::spin("Slow Mover", 100, 10, 1000, ""),
        ];
        let table = declared(&Introduction { name: None, options });
        let names: Vec<&str> = table.iter().map(|t| &*t.name).collect();
        assert_eq!(names, ["Contempt", "Slow Mover"]);
        let chosen = chosen(&table, "Contempt:min=-50:max=50,Slow Mover:max=90", &[], 0.1, 0.002);
        let chosen = chosen.unwrap();
        assert_eq!((chosen[0].min, chosen[0].max, chosen[0].c_end), (-50.0, 50.0, 10.0));
        // Where it begins is inside.
        assert_eq!((chosen[1].start, chosen[1].max, chosen[1].c_end), (90.0, 90.0, 8.0));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in [
            "rfp_depth:min=9:max=8",
            "rfp_depth:min=x",
            "",
            ",",
            "nothing",
            "rfp_depth,rfp_depth",
            "rfp_depth:c",
            "rfp_depth:d=1",
            "lmr:c=-1",
        ] {
            assert!(chosen(&TABLE, wrong, &[], 0.05, 0.002).is_err(), "{wrong}");
        }
        for wrong in ["rfp_depth", "rfp_depth=", "rfp_depth=99", "x=1", "rfp_depth=1.5"] {
            assert!(given(&TABLE, &[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
