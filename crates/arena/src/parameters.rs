//! Which numbers are tuned, from where and how fast.

use crate::spsa::Parameter;

/// A number that can be tuned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tunable {
    pub name: &'static str,
    pub default: i32,
    pub min: i32,
    pub max: i32,
}

/// `NAME=VALUE`s, each a number of the search inside its range; the last of a name counts.
pub fn given(table: &[Tunable], set: &[String]) -> Result<Vec<(String, i64)>, String> {
    let mut given: Vec<(String, i64)> = Vec::new();
    for text in set {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let spec = find(table, name)?;
        let range = i64::from(spec.min)..=i64::from(spec.max);
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
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            let value = value.parse::<f64>().ok().filter(|v| v.is_finite() && *v > 0.0);
            let value =
                value.ok_or_else(|| format!("{name}: {word:?} should be c=NUMBER or r=NUMBER"))?;
            match key {
                "c" => parameter.c_end = value,
                "r" => parameter.r_end = value,
                _ => {
                    return Err(format!("{name}: unknown {key:?}, only c and r"));
                }
            }
        }
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
        let known: Vec<&str> = table.iter().map(|s| s.name).collect();
        format!("no number is called {name:?}: there are {}", known.join(", "))
    })
}

fn parameter(spec: &Tunable, set: &[(String, i64)], c: f64, r: f64) -> Parameter {
    let given = set.iter().find(|(name, _)| name == spec.name).map(|(_, value)| *value as f64);
    let (min, max) = (f64::from(spec.min), f64::from(spec.max));
    Parameter {
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

    const TABLE: [Tunable; 2] = [
        Tunable { name: "rfp_margin", default: 135, min: 30, max: 250 },
        Tunable { name: "rfp_depth", default: 9, min: 4, max: 14 },
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

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in
            ["", ",", "nothing", "rfp_depth,rfp_depth", "rfp_depth:c", "rfp_depth:d=1", "lmr:c=-1"]
        {
            assert!(chosen(&TABLE, wrong, &[], 0.05, 0.002).is_err(), "{wrong}");
        }
        for wrong in ["rfp_depth", "rfp_depth=", "rfp_depth=99", "x=1", "rfp_depth=1.5"] {
            assert!(given(&TABLE, &[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
